// A lead after a call on one's own phone: a number is enough.
import { useQuery } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import type { Schema } from '@/api/client'
import { formatPhone } from '@/lib/format/phone'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { CheckboxField } from '@/ui/checkbox-field'
import { Dialog } from '@/ui/dialog'
import { FieldError, TextAreaField, TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { quickAddMessages as texts } from './messages'
import { useAddCall } from './mutations'
import { quickAddQueries } from './queries'
import { addCallSchema, type AddCallValues } from './schema'
import type { SharedCall } from './shared-call'

const PHONE_DEBOUNCE_MS = 300
const MAX_NOTES = 5000

type AddCallDialogProps = {
  record: keyof typeof texts.titles
  /** What another app shared. */ shared?: SharedCall | undefined
  onAdded: (lead: Schema['LeadDetail']) => void
  onClose: () => void
}

export function AddCallDialog({ record, shared, onAdded, onClose }: AddCallDialogProps) {
  const add = useAddCall()
  const isOnline = useOnline()
  const submit = async (values: AddCallValues) => onAdded(await add.mutateAsync(values))
  return (
    <Dialog open onClose={onClose} title={texts.titles[record]}>
      {record === 'customer' && <p className="mb-3 text-note text-muted">{texts.customerHint}</p>}
      <Form
        label={texts.titles[record]}
        schema={addCallSchema}
        defaultValues={{
          customer: { phone: formatPhone(shared?.phone ?? ''), name: shared?.name ?? '' },
          notes: shared?.notes ?? '',
          textBookingLink: false,
        }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
      >
        {(form) => (
          <>
            <CallerFields form={form} />
            <TextAreaField
              form={form}
              name="notes"
              label={texts.notes}
              rows={3}
              maxLength={MAX_NOTES}
              placeholder={texts.notesPlaceholder}
            />
            <BookingLinkField form={form} />
            {!isOnline && <p className="text-note text-warning">{texts.offline}</p>}
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button
                type="submit"
                icon="plus"
                disabled={!isOnline}
                pending={form.formState.isSubmitting}
                pendingText={texts.saving}
              >
                {texts.save}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}

type PartProps = { form: UseFormReturn<AddCallValues> }

function CallerFields({ form }: PartProps) {
  const { orgId } = useCurrentUser()
  const phone = useDebounced(form.watch('customer.phone').trim(), PHONE_DEBOUNCE_MS)
  const { data: knownName } = useQuery(quickAddQueries.knownName(orgId, phone))
  const showAsPhone = () => {
    const typed = form.getValues('customer.phone')
    const shown = formatPhone(typed.trim())
    if (shown !== typed) form.setValue('customer.phone', shown, { shouldDirty: true })
  }
  return (
    <>
      <TextField
        form={form}
        name="customer.phone"
        label={texts.phone}
        type="tel"
        inputMode="tel"
        autoComplete="off"
        maxLength={40}
        hint={texts.phoneHint}
        onBlurCapture={showAsPhone}
      />
      {knownName && (
        <p role="status" className="text-note text-success">
          {texts.known(knownName)}
        </p>
      )}
      <TextField
        form={form}
        name="customer.name"
        label={texts.name}
        autoComplete="off"
        autoCapitalize="words"
        maxLength={120}
        hint={knownName ? undefined : texts.nameHint}
      />
    </>
  )
}

function BookingLinkField({ form }: PartProps) {
  const error = form.getFieldState('textBookingLink', form.formState).error?.message
  return (
    <div>
      <CheckboxField form={form} name="textBookingLink">
        {texts.bookingLink}
      </CheckboxField>
      {error && <FieldError>{error}</FieldError>}
    </div>
  )
}
