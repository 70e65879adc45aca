import type { UseFormReturn } from 'react-hook-form'
import { QUOTE_BUDGETS, QUOTE_SERVICES, QUOTE_TIMELINES } from '@/domain/quote'
import { SelectField, TextAreaField, TextField } from '@/ui/field'
import type { QuoteValues } from '../schema'

const asOptions = (labels: readonly string[]) => labels.map((label) => ({ value: label, label }))

export function QuoteFields({ form }: { form: UseFormReturn<QuoteValues> }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        form={form}
        name="customerName"
        label="Full Name"
        required
        nativeRequired
        autoComplete="name"
        enterKeyHint="next"
      />
      <TextField
        form={form}
        name="email"
        label="Email"
        required
        nativeRequired
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        enterKeyHint="next"
      />
      <TextField
        form={form}
        name="phone"
        label="Phone"
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        enterKeyHint="next"
      />
      <TextField form={form} name="address" label="Address" autoComplete="street-address" enterKeyHint="next" />
      <SelectField
        form={form}
        name="serviceType"
        label="Service Type"
        required
        placeholder="Choose a service"
        options={asOptions(QUOTE_SERVICES)}
        className="sm:col-span-2"
      />
      <TextAreaField
        form={form}
        name="projectDescription"
        label="Project Description"
        hint="Size, materials, access: whatever helps us to name a price."
        className="sm:col-span-2"
      />
      <SelectField
        form={form}
        name="timelinePreference"
        label="Timeline"
        placeholder="Choose a timeline"
        options={asOptions(QUOTE_TIMELINES)}
      />
      <SelectField
        form={form}
        name="budgetRange"
        label="Budget"
        placeholder="Choose a budget"
        options={asOptions(QUOTE_BUDGETS)}
      />
    </div>
  )
}
