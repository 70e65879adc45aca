// What a business says about itself for the carriers.
import { type FormEvent, type HTMLInputAutoCompleteAttribute, useState } from 'react'
import { ApiError } from '@/api/client'
import { Button } from '@/ui/button'
import { Field } from '@/ui/field'
import { numberSetupMessages } from './messages'
import { type BusinessProfile, useSubmitRegistration } from './queries'

type TextKey = Exclude<keyof BusinessProfile, 'legalForm' | 'monthlyTexts'>

type LineSpec = {
  name: TextKey
  label: string
  hint?: string
  type?: 'email' | 'tel' | 'url'
  autoComplete: HTMLInputAutoCompleteAttribute
}

const BUSINESS: readonly LineSpec[] = [
  { name: 'legalName', label: 'Legal name', hint: 'Exactly as on your tax papers', autoComplete: 'organization' },
  {
    name: 'ein',
    label: 'EIN',
    hint: 'Nine digits. A sole proprietor without one leaves it empty.',
    autoComplete: 'off',
  },
  { name: 'website', label: 'Website', type: 'url', autoComplete: 'url' },
  { name: 'street', label: 'Street', autoComplete: 'address-line1' },
  { name: 'city', label: 'City', autoComplete: 'address-level2' },
  { name: 'state', label: 'State', hint: 'Two letters', autoComplete: 'address-level1' },
  { name: 'zip', label: 'ZIP code', autoComplete: 'postal-code' },
]

const CONTACT: readonly LineSpec[] = [
  { name: 'contactFirstName', label: 'First name', autoComplete: 'given-name' },
  { name: 'contactLastName', label: 'Last name', autoComplete: 'family-name' },
  { name: 'contactEmail', label: 'Email', type: 'email', autoComplete: 'email' },
  { name: 'contactPhone', label: 'Phone', type: 'tel', autoComplete: 'tel' },
]

const LEGAL_FORMS: readonly { value: BusinessProfile['legalForm']; label: string }[] = [
  { value: 'private_company', label: 'Company (LLC, Inc., partnership)' },
  { value: 'sole_proprietor', label: 'Sole proprietor' },
  { value: 'public_company', label: 'Publicly traded company' },
  { value: 'nonprofit', label: 'Nonprofit' },
]

const VOLUMES: readonly { value: BusinessProfile['monthlyTexts']; label: string }[] = [
  { value: 'up_to_hundred', label: 'Up to 100 a month' },
  { value: 'up_to_thousand', label: 'Up to 1,000 a month' },
  { value: 'up_to_ten_thousand', label: 'Up to 10,000 a month' },
]

const findValue = <Value extends string>(choices: readonly { value: Value }[], chosen: string): Value | undefined =>
  choices.find(({ value }) => value === chosen)?.value

export function RegistrationForm({ profile }: { profile: BusinessProfile }) {
  const [values, setValues] = useState(profile)
  const submit = useSubmitRegistration()
  const errors = submit.error instanceof ApiError ? submit.error.errors : {}
  const change = (changed: Partial<BusinessProfile>) => setValues((before) => ({ ...before, ...changed }))
  const renderLine = ({ name, label, hint, type, autoComplete }: LineSpec) => (
    <Field key={name} label={label} unmarked hint={hint} error={errors[name]}>
      {(aria) => (
        <input
          className="input"
          type={type === 'url' ? 'text' : (type ?? 'text')}
          inputMode={type}
          autoComplete={autoComplete}
          {...aria}
          value={values[name]}
          onChange={({ target }) => setValues((before) => ({ ...before, [name]: target.value }))}
        />
      )}
    </Field>
  )
  return (
    <form
      aria-label={numberSetupMessages.registration.title}
      noValidate
      className="grid gap-4"
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        submit.mutate(values)
      }}
    >
      <Field label="Kind of business" unmarked error={errors['legalForm']}>
        {(aria) => (
          <select
            className="select"
            {...aria}
            value={values.legalForm}
            onChange={({ target }) => {
              const legalForm = findValue(LEGAL_FORMS, target.value)
              if (legalForm) change({ legalForm })
            }}
          >
            {LEGAL_FORMS.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {BUSINESS.map(renderLine)}
      <h4 className="font-semibold">Who the carriers can ask</h4>
      {CONTACT.map(renderLine)}
      <Field label="How many texts" unmarked error={errors['monthlyTexts']}>
        {(aria) => (
          <select
            className="select"
            {...aria}
            value={values.monthlyTexts}
            onChange={({ target }) => {
              const monthlyTexts = findValue(VOLUMES, target.value)
              if (monthlyTexts) change({ monthlyTexts })
            }}
          >
            {VOLUMES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div>
        <Button type="submit" pending={submit.isPending}>
          {numberSetupMessages.registration.submit}
        </Button>
      </div>
    </form>
  )
}
