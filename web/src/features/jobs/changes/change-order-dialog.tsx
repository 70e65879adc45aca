import { lazy, Suspense, useState } from 'react'
import { getZoneDay } from '@/lib/format/zone-time'
import { asLineItemsForm, LineItems } from '@/features/documents/line-items'
import { useReviseEstimate } from '@/features/documents/estimate/mutations'
import { PreviewButton } from '@/features/documents/estimate/preview-button'
import { asEstimateBaseForm } from '@/features/documents/estimate/values'
import { ChannelFields } from '@/features/documents/channel-fields'
import { clearDraft, readDraft } from '@/features/public-form/draft'
import { PersistDraft } from '@/features/public-form/persist-draft'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { toast } from '@/ui/toast/toast-store'
import { jobsMessages } from '../messages'
import type { ChangeOrder, JobDetail } from '../types'
import { useCreateChangeOrder, usePreviewChangeOrder } from './change-order-mutations'
import { reviseChangeOrder, emptyChangeOrder, toChangeOrderRequest } from './change-order-values'
import { getJobRecipient } from './recipient'
import { changeOrderSchema, type ChangeOrderValues, MAX_TITLE_LENGTH } from './schema'

// These come a moment after the lines: the dialog opens with less.
const ChangeOrderTotals = lazy(async () => ({ default: (await import('./change-order-totals')).ChangeOrderTotals }))
const EstimateTerms = lazy(async () => ({
  default: (await import('@/features/documents/estimate/estimate-terms')).EstimateTerms,
}))
// Most extra work has one version.
const VersionNotice = lazy(async () => ({
  default: (await import('@/features/documents/estimate/version-notice')).VersionNotice,
}))

type ChangeOrderDialogProps = {
  job: JobDetail
  onClose: () => void
  /** The version that a new one is made of. */ revised?: ChangeOrder | undefined
}

const { changes: texts } = jobsMessages
const showInvalidToast = () => toast.error(texts.invalid.title, texts.invalid.description)

/** Draft key: the input is kept while this tab is open. */
const DRAFT_KEY = 'change-order-1'

export function ChangeOrderDialog({ job, onClose, revised }: ChangeOrderDialogProps) {
  const make = useCreateChangeOrder(job)
  const revise = useReviseEstimate(job.leadId)
  const preview = usePreviewChangeOrder(job.id)
  const { orgTimezone } = useCurrentUser()
  const [today] = useState(() => getZoneDay(orgTimezone, Date.now()))
  const draftOf = revised?.id ?? job.id
  const [initialValues] = useState(() =>
    readDraft(DRAFT_KEY, draftOf, revised ? reviseChangeOrder(job, revised) : emptyChangeOrder(job)),
  )
  const send = async (values: ChangeOrderValues) => {
    await (revised
      ? revise.mutateAsync({ id: revised.id, body: toChangeOrderRequest(values) })
      : make.mutateAsync(toChangeOrderRequest(values)))
    clearDraft(DRAFT_KEY, draftOf)
    onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={revised ? t('New version of {number}', { number: revised.number }) : t('Add a change order')}
    >
      <Form
        label={t('Change order')}
        schema={changeOrderSchema}
        defaultValues={initialValues}
        onSubmit={send}
        onFailure={ignoreFailure}
        onInvalid={showInvalidToast}
        className="grid grid-cols-[minmax(0,1fr)] gap-5"
      >
        {(form) => (
          <>
            <PersistDraft form={form} name={DRAFT_KEY} org={draftOf} />
            {revised && (
              <Suspense>
                <VersionNotice before={revised} />
              </Suspense>
            )}
            <TextField
              form={form}
              name="title"
              label={t('What came up')}
              maxLength={MAX_TITLE_LENGTH}
              autoComplete="off"
              placeholder={t('Rotten subfloor under the tub')}
              hint={t('The headline on the paper the customer signs')}
            />
            <LineItems form={asLineItemsForm(form)} isForEstimate />
            <p className="text-note text-muted">
              {t('Something falls away? Write it as a line and tick “Credit” under its details.')}
            </p>
            <Suspense>
              <ChangeOrderTotals form={form} job={job} revised={revised} />
              <EstimateTerms
                form={asEstimateBaseForm(form)}
                today={today}
                isOpen={revised !== undefined && (initialValues.notes !== '' || initialValues.terms !== '')}
                hasStandingDeposit={false}
              />
            </Suspense>
            <ChannelFields
              form={form}
              to={getJobRecipient(job)}
              none={t(
                'There is no email and no phone to send it to: copy its link once it is made, and hand it over yourself.',
              )}
            />
            <div className="flex flex-wrap justify-end gap-2 max-sm:*:grow">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <PreviewButton
                form={form}
                isPending={preview.isPending}
                onPreview={(values) => preview.mutate(toChangeOrderRequest(values))}
                onInvalid={showInvalidToast}
              />
              {revised ? (
                <Button type="submit" icon="send" pending={revise.isPending} pendingText={t('Making it...')}>
                  {t('Make the new version')}
                </Button>
              ) : (
                <Button type="submit" icon="send" pending={make.isPending} pendingText={t('Making it...')}>
                  {form.watch('email') || form.watch('text') ? t('Send change order') : t('Make change order')}
                </Button>
              )}
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
