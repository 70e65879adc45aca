// Generate Estimate PDF: an amount is enough, the rest is optional.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { EstimateView } from '@/features/documents/estimate/types'
import { getZoneDay } from '@/lib/format/zone-time'
import { useReviseEstimate } from '@/features/documents/estimate/mutations'
import { VersionNotice } from '@/features/documents/estimate/version-notice'
import { EstimateTerms } from '@/features/documents/estimate/estimate-terms'
import { PreviewButton } from '@/features/documents/estimate/preview-button'
import { asEstimateBaseForm } from '@/features/documents/estimate/values'
import { ChannelFields } from '@/features/documents/channel-fields'
import { clearDraft, readDraft } from '@/features/public-form/draft'
import { PersistDraft } from '@/features/public-form/persist-draft'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { AmountField } from '@/ui/amount-field'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Form, ignoreFailure } from '@/ui/form'
import { SkeletonLines } from '@/ui/skeleton'
import { SwitchField } from '@/ui/switch-field'
import { toast } from '@/ui/toast/toast-store'
import { leadsMessages } from '../messages'
import { type LeadDetail, leadQueries } from '../queries'
import { estimateSchema, type EstimateValues } from '../schema'
import { emptyEstimate, reviseEstimate, toEstimateRequest } from './estimate-values'
import { SendButton } from './estimate-send-button'
import { useCreateEstimate, usePreviewEstimate } from './mutations'

/** An amount is enough for most: what lines need comes once they are wanted. */
const EstimateLines = lazy(async () => ({ default: (await import('./estimate-lines')).EstimateLines }))

type EstimateDialogProps = {
  lead: LeadDetail
  onClose: () => void
  /** The version that a new one is made of. */ revised?: EstimateView | undefined
}
const showInvalidToast = () => {
  const { title, description } = leadsMessages.estimates.invalid
  toast.error(title, description)
}

/** Draft key: the input is kept while this tab is open; another format has another key. */
const DRAFT_KEY = 'estimate-3'

export function EstimateDialog({ lead, onClose, revised }: EstimateDialogProps) {
  const make = useCreateEstimate(lead)
  const revise = useReviseEstimate(lead.id)
  const preview = usePreviewEstimate(lead.id)
  const { orgTimezone } = useCurrentUser()
  const [today] = useState(() => getZoneDay(orgTimezone, Date.now()))
  const draftOf = revised?.id ?? lead.id
  const [initialValues] = useState(() =>
    readDraft(DRAFT_KEY, draftOf, revised ? reviseEstimate(lead, revised) : emptyEstimate(lead)),
  )
  const send = async (values: EstimateValues) => {
    await (revised
      ? revise.mutateAsync({ id: revised.id, body: toEstimateRequest(values) })
      : make.mutateAsync(toEstimateRequest(values)))
    clearDraft(DRAFT_KEY, draftOf)
    onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={revised ? t('New version of {number}', { number: revised.number }) : t('Generate Estimate PDF')}
    >
      <Form
        label={t('Estimate')}
        schema={estimateSchema}
        defaultValues={initialValues}
        onSubmit={send}
        onFailure={ignoreFailure}
        onInvalid={showInvalidToast}
        className="grid grid-cols-[minmax(0,1fr)] gap-5"
      >
        {(form) => (
          <>
            <PersistDraft form={form} name={DRAFT_KEY} org={draftOf} />
            <VersionInfo lead={lead} revised={revised} />
            <PriceField form={form} leadId={lead.id} />
            <EstimateTerms
              form={asEstimateBaseForm(form)}
              today={today}
              isOpen={revised !== undefined && (initialValues.notes !== '' || initialValues.terms !== '')}
              hasStandingDeposit
            />
            <ChannelFields
              form={form}
              to={lead}
              none={
                revised
                  ? t('There is no email and no phone to send it to.')
                  : t('There is no email and no phone to send it to: the PDF is downloaded here.')
              }
            />
            <div className="flex flex-wrap justify-end gap-2 max-sm:*:grow">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <PreviewButton
                form={form}
                isPending={preview.isPending}
                onPreview={(values) => preview.mutate(toEstimateRequest(values))}
                onInvalid={showInvalidToast}
              />
              <SendButton
                form={form}
                lead={lead}
                isRevision={revised !== undefined}
                isPending={make.isPending || revise.isPending}
              />
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}

type FormProps = { form: UseFormReturn<EstimateValues>; leadId: string }

/** One amount, or lines with what they come to. */
function PriceField({ form, leadId }: FormProps) {
  const isItemized = form.watch('isItemized')
  return (
    <>
      {/* Both variants keep the same position. */}
      <SwitchField form={form} name="isItemized" label={t('Line items')} />
      {isItemized ? (
        <Suspense fallback={<SkeletonLines lines={4} />}>
          <EstimateLines form={form} leadId={leadId} />
        </Suspense>
      ) : (
        <AmountField form={form} name="quotedTotal" label={t('Amount')} isFirst />
      )}
    </>
  )
}

/** One estimate with versions per lead; a withdrawn one is not continued. */
function VersionInfo({ lead, revised }: Pick<EstimateDialogProps, 'lead' | 'revised'>) {
  const { orgId } = useCurrentUser()
  const { data = [] } = useQuery(leadQueries.estimates(orgId, lead.id))
  const before = revised ?? data.find(({ status }) => status !== 'withdrawn')
  return before ? <VersionNotice before={before} /> : null
}
