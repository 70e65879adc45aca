import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { ApiError, type Schema } from '@/api/client'
import { ConsentText } from '@/features/public-form/consent'
import { clearDraft, readDraft } from '@/features/public-form/draft'
import { FormFailure } from '@/features/public-form/form-failure'
import { Honeypot } from '@/features/public-form/honeypot'
import { PersistDraft } from '@/features/public-form/persist-draft'
import { SubmitBar } from '@/features/public-form/submit-bar'
import { clearSubmissionKey } from '@/lib/submission-key'
import type { PublicForm } from '@/features/public-form/use-form-context'
import { CheckboxField } from '@/ui/checkbox-field'
import { Form } from '@/ui/form'
import { toast } from '@/ui/toast/toast-store'
import { usePhotoSelection } from '../lib/use-photos'
import { leadMessages } from '../messages'
import { LEAD_FORM, useSendLead } from '../mutations'
import { EMPTY_LEAD, leadSchema, type LeadValues } from '../schema'
import { LeadFields } from './lead-fields'
import { PhotoField } from './photo-field'

/** Where a message of the server's has a place of its own. */
const SHOWN_FIELDS = ['photos', ...Object.keys(EMPTY_LEAD)]

/** What the page after the form shows. */
export type SentLead = { values: LeadValues; receipt: Schema['Created'] }

type LeadFormProps = { publicForm: PublicForm; onSent: (sent: SentLead) => void; onNotSetUp: () => void }

export function LeadForm({ publicForm, onSent, onNotSetUp }: LeadFormProps) {
  const { org, context } = publicForm
  const box = usePhotoSelection()
  const sendLead = useSendLead()
  const [failure, setFailure] = useState<unknown>(null)
  const photoError = failure instanceof ApiError ? failure.errors['photos'] : undefined

  const send = async (values: LeadValues, form: UseFormReturn<LeadValues>) => {
    setFailure(null)
    const photos = await box.ready()
    const business = await publicForm.ensureContext().catch((error: unknown) => {
      toast.error(leadMessages.failure.title, leadMessages.failure.description)
      throw error
    })
    const receipt = await sendLead.mutateAsync({ values, photos, context: business })
    form.reset(EMPTY_LEAD)
    box.clear()
    clearDraft(LEAD_FORM, org)
    clearSubmissionKey(LEAD_FORM)
    publicForm.renew()
    onSent({ values, receipt })
  }

  const fail = (error: unknown) => {
    setFailure(error)
    if (error instanceof ApiError && error.code === 'business_not_set_up') onNotSetUp()
  }

  return (
    <Form
      label={leadMessages.title}
      schema={leadSchema}
      defaultValues={readDraft(LEAD_FORM, org, EMPTY_LEAD)}
      onSubmit={send}
      onFailure={fail}
      className="grid gap-5"
    >
      {(form) => (
        <>
          <PersistDraft form={form} name={LEAD_FORM} org={org} />
          <LeadFields form={form} />
          <PhotoField box={box} serverError={photoError} onChange={() => setFailure(null)} />
          <Honeypot form={form} name="company" />
          {context && (
            <CheckboxField form={form} name="marketingConsent">
              {context.marketingText}
            </CheckboxField>
          )}
          {failure !== null && (
            <FormFailure
              error={failure}
              title={leadMessages.failure.title}
              advice={leadMessages.failure.description}
              fields={SHOWN_FIELDS}
              orgName={context?.orgName}
              phone={context?.orgPhone}
            />
          )}
          <SubmitBar label="Submit Request" isSubmitting={form.formState.isSubmitting} />
          <ConsentText context={context} />
        </>
      )}
    </Form>
  )
}
