// Extra work on a job, written down line by line and sent to the customer, who signs for it.
import { lazy, Suspense, useState } from 'react'
import { dayIn } from '@/lib/format/zone-time'
import { asPaperForm, LineItems } from '@/features/paper/line-items'
import { useReviseOffer } from '@/features/paper/offer/mutations'
import { PreviewButton } from '@/features/paper/offer/preview-button'
import { asOfferForm } from '@/features/paper/offer/values'
import { WayFields } from '@/features/paper/way-fields'
import { clearDraft, readDraft } from '@/features/public-form/draft'
import { KeepDraft } from '@/features/public-form/keep-draft'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { toast } from '@/ui/toast/toast-store'
import { jobsMessages } from '../messages'
import type { ChangeOrder, JobDetail } from '../types'
import { useMakeChange, usePreviewChange } from './change-mutations'
import { ChangeSums } from './change-sums'
import { changeAgain, emptyChange, toRequest } from './change-values'
import { recipientOf } from './recipient'
import { changeSchema, type ChangeValues, LONGEST_TITLE } from './schema'

// These come a moment after the lines: the dialog opens with less.
const OfferTerms = lazy(async () => ({ default: (await import('@/features/paper/offer/offer-terms')).OfferTerms }))
// Most extra work has one version.
const NextVersion = lazy(async () => ({ default: (await import('@/features/paper/offer/next-version')).NextVersion }))

type ChangeDialogProps = {
  job: JobDetail
  onClose: () => void
  /** The version that a new one is made of. */ revised?: ChangeOrder | undefined
}

const { changes: texts } = jobsMessages

/** The toast of a failure is the command's; the fields show the rest. */
const said = () => undefined
const sayInvalid = () => toast.error(texts.invalid.title, texts.invalid.description)

/** Under this name what was typed is kept while this tab is open. */
const DRAFT = 'change-order-1'

export function ChangeDialog({ job, onClose, revised }: ChangeDialogProps) {
  const make = useMakeChange(job)
  const revise = useReviseOffer(job.leadId)
  const preview = usePreviewChange(job.id)
  const { orgTimezone } = useCurrentUser()
  const [today] = useState(() => dayIn(orgTimezone, Date.now()))
  const draftOf = revised?.id ?? job.id
  const [began] = useState(() => readDraft(DRAFT, draftOf, revised ? changeAgain(job, revised) : emptyChange(job)))
  const send = async (values: ChangeValues) => {
    await (revised
      ? revise.mutateAsync({ id: revised.id, body: toRequest(values) })
      : make.mutateAsync(toRequest(values)))
    clearDraft(DRAFT, draftOf)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={revised ? `New version of ${revised.number}` : 'Add a change order'}>
      <Form
        label="Change order"
        schema={changeSchema}
        defaultValues={began}
        onSubmit={send}
        onFailure={said}
        onInvalid={sayInvalid}
        className="grid grid-cols-[minmax(0,1fr)] gap-5"
      >
        {(form) => (
          <>
            <KeepDraft form={form} name={DRAFT} org={draftOf} />
            {revised && (
              <Suspense>
                <NextVersion before={revised} />
              </Suspense>
            )}
            <TextField
              form={form}
              name="title"
              label="What came up"
              maxLength={LONGEST_TITLE}
              autoComplete="off"
              placeholder="Rotten subfloor under the tub"
              hint="The headline on the paper the customer signs"
            />
            <LineItems form={asPaperForm(form)} isOffer />
            <p className="text-note text-muted">
              Something falls away? Write it as a line and tick “Credit” under its details.
            </p>
            <ChangeSums form={form} job={job} revised={revised} />
            <Suspense>
              <OfferTerms
                form={asOfferForm(form)}
                today={today}
                isOpen={revised !== undefined && (began.notes !== '' || began.terms !== '')}
                hasStandingDeposit={false}
              />
            </Suspense>
            <WayFields
              form={form}
              to={recipientOf(job)}
              none="There is no email and no phone to send it to: copy its link once it is made, and hand it over yourself."
            />
            <div className="flex flex-wrap justify-end gap-2 max-sm:*:grow">
              <Button variant="ghost" onClick={onClose}>
                Cancel
              </Button>
              <PreviewButton
                form={form}
                isPending={preview.isPending}
                onPreview={(values) => preview.mutate(toRequest(values))}
                onInvalid={sayInvalid}
              />
              {revised ? (
                <Button type="submit" icon="send" pending={revise.isPending} pendingText="Making it...">
                  Make the new version
                </Button>
              ) : (
                <Button type="submit" icon="send" pending={make.isPending} pendingText="Making it...">
                  {form.watch('email') || form.watch('text') ? 'Send change order' : 'Make change order'}
                </Button>
              )}
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
