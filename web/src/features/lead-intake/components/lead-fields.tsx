import type { UseFormReturn } from 'react-hook-form'
import { LEAD_SERVICES } from '@/domain/lead'
import { SelectField, TextAreaField, TextField } from '@/ui/field'
import type { LeadValues } from '../schema'

export function LeadFields({ form }: { form: UseFormReturn<LeadValues> }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField form={form} name="name" label="Full Name" required autoComplete="name" enterKeyHint="next" />
      <TextField
        form={form}
        name="phone"
        label="Phone"
        required
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        enterKeyHint="next"
      />
      <TextField
        form={form}
        name="email"
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        enterKeyHint="next"
      />
      <TextField
        form={form}
        name="zip"
        label="Zip Code"
        required
        inputMode="numeric"
        autoComplete="postal-code"
        enterKeyHint="next"
      />
      <SelectField
        form={form}
        name="service"
        label="Service Type"
        required
        placeholder="Choose a service"
        options={LEAD_SERVICES}
        className="sm:col-span-2"
      />
      <TextAreaField
        form={form}
        name="notes"
        label="Project Details"
        className="sm:col-span-2"
        hint="What needs doing, and when would suit you?"
      />
    </div>
  )
}
