import { ANY_LANGUAGE, LANGUAGES } from '@/domain/customer'
import { formatPhone } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { SelectField, TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { useEditCustomer } from '../mutations'
import { customerSchema, type CustomerValues } from '../schema'
import type { CustomerEdit } from '@/offline/outbox/entry'
import type { Customer } from '../types'

const CHOICES = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))

function toFormValues({ name, phone, email, language }: Customer): CustomerValues {
  return { name, phone: phone ? formatPhone(phone) : '', email: email ?? '', language: language ?? '' }
}

/** Changed fields only; an empty field clears the value. */
export function toCustomerChange(values: CustomerValues, initialValues: CustomerValues): CustomerEdit {
  return {
    ...(values.name === initialValues.name ? {} : { name: values.name }),
    ...(values.phone === initialValues.phone ? {} : { phone: values.phone === '' ? null : values.phone }),
    ...(values.email === initialValues.email ? {} : { email: values.email === '' ? null : values.email }),
    ...(values.language === initialValues.language
      ? {}
      : { language: values.language === '' ? null : values.language }),
  }
}

export function EditCustomerDialog({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const edit = useEditCustomer(customer)
  const initialValues = toFormValues(customer)
  const save = async (values: CustomerValues) => {
    await edit.mutateAsync(toCustomerChange(values, initialValues))
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={t('Edit the customer')}>
      <Form
        label={t('Customer')}
        schema={customerSchema}
        defaultValues={initialValues}
        onSubmit={save}
        onFailure={ignoreFailure}
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
      >
        {(form) => (
          <>
            <TextField form={form} name="name" label={t('Name')} required maxLength={120} autoComplete="off" />
            <TextField
              form={form}
              name="phone"
              label={t('Phone')}
              type="tel"
              inputMode="tel"
              hint={t('Texts and calls go here. The number before stays known as theirs.')}
              autoComplete="off"
            />
            <TextField form={form} name="email" label={t('Email')} type="email" inputMode="email" autoComplete="off" />
            <SelectField
              form={form}
              name="language"
              label={t('Language')}
              placeholder={ANY_LANGUAGE}
              options={CHOICES}
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Close')}
              </Button>
              <Button type="submit" icon="check" pending={form.formState.isSubmitting} pendingText={t('Saving...')}>
                {t('Save the customer')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
