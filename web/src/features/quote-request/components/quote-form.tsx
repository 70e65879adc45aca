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
import { quoteMessages } from '../messages'
import { QUOTE_FORM, useSendQuote } from '../mutations'
import { EMPTY_QUOTE, quoteSchema, type QuoteValues } from '../schema'
import { QuoteFields } from './quote-fields'

/** What the success screen says back. */
export type SentQuote = { values: QuoteValues; receipt: Schema['Created'] }

/** Where a message of the server's has a place of its own. */
const SHOWN_FIELDS = Object.keys(EMPTY_QUOTE)

type QuoteFormProps = { publicForm: PublicForm; onSent: (sent: SentQuote) => void; onNotSetUp: () => void }

export function QuoteForm({ publicForm, onSent, onNotSetUp }: QuoteFormProps) {
  const { org, context } = publicForm
  const sendQuote = useSendQuote()
  const [failure, setFailure] = useState<unknown>(null)

  const send = async (values: QuoteValues, form: UseFormReturn<QuoteValues>) => {
    setFailure(null)
    const business = await publicForm.ensureContext().catch((error: unknown) => {
      toast.error(quoteMessages.failure.title, quoteMessages.failure.description)
      throw error
    })
    const receipt = await sendQuote.mutateAsync({ values, context: business })
    form.reset(EMPTY_QUOTE)
    clearDraft(QUOTE_FORM, org)
    clearSubmissionKey(QUOTE_FORM)
    toast.success(quoteMessages.success.title, quoteMessages.success.description(receipt))
    onSent({ values, receipt })
  }

  const fail = (error: unknown) => {
    setFailure(error)
    if (error instanceof ApiError && error.code === 'business_not_set_up') onNotSetUp()
  }

  return (
    <Form
      label={quoteMessages.formTitle}
      schema={quoteSchema}
      defaultValues={readDraft(QUOTE_FORM, org, EMPTY_QUOTE)}
      nativeValidation
      onSubmit={send}
      onInvalid={() => toast.error(quoteMessages.missing.title, quoteMessages.missing.description)}
      onFailure={fail}
      className="grid gap-5"
    >
      {(form) => (
        <>
          <PersistDraft form={form} name={QUOTE_FORM} org={org} />
          <QuoteFields form={form} />
          <Honeypot form={form} name="company" />
          {context && (
            <CheckboxField form={form} name="marketingConsent">
              {context.marketingText}
            </CheckboxField>
          )}
          {failure !== null && (
            <FormFailure
              error={failure}
              title={quoteMessages.failure.title}
              advice={quoteMessages.failure.description}
              fields={SHOWN_FIELDS}
              orgName={context?.orgName}
              phone={context?.orgPhone}
            />
          )}
          <SubmitBar label="Submit Quote Request" isSubmitting={form.formState.isSubmitting} />
          <ConsentText context={context} />
        </>
      )}
    </Form>
  )
}
