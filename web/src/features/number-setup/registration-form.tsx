// What a business says about itself for the carriers.
import { type FormEvent, type HTMLInputAutoCompleteAttribute, useState } from 'react'
import { ApiError } from '@/api/client'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Field } from '@/ui/field'
import { FeesDialog } from './local-registration'
import { numberSetupMessages } from './messages'
import { type BusinessProfile, type RegistrationFees, useSubmitRegistration } from './queries'

const texts = numberSetupMessages.registration

type TextKey = Exclude<keyof BusinessProfile, 'legalForm' | 'monthlyTexts'>

type LineSpec = {
  name: TextKey
  label: string
  hint?: string
  type?: 'email' | 'tel' | 'url'
  autoComplete: HTMLInputAutoCompleteAttribute
}

const BUSINESS: readonly LineSpec[] = [
  { name: 'legalName', label: t('Legal name'), hint: t('Exactly as on your tax papers'), autoComplete: 'organization' },
  {
    name: 'ein',
    label: 'EIN',
    hint: t('Nine digits. A sole proprietor without one leaves it empty.'),
    autoComplete: 'off',
  },
  { name: 'website', label: t('Website'), type: 'url', autoComplete: 'url' },
  { name: 'street', label: t('Street'), autoComplete: 'address-line1' },
  { name: 'city', label: t('City'), autoComplete: 'address-level2' },
  { name: 'state', label: t('State'), hint: t('Two letters'), autoComplete: 'address-level1' },
  { name: 'zip', label: t('ZIP code'), autoComplete: 'postal-code' },
]

const CONTACT: readonly LineSpec[] = [
  { name: 'contactFirstName', label: t('First name'), autoComplete: 'given-name' },
  { name: 'contactLastName', label: t('Last name'), autoComplete: 'family-name' },
  { name: 'contactEmail', label: t('Email'), type: 'email', autoComplete: 'email' },
  { name: 'contactPhone', label: t('Phone'), type: 'tel', autoComplete: 'tel' },
]

/** Of a local number. */
const LOCAL_CONTACT: readonly LineSpec[] = [
  ...CONTACT.map((line) => (line.name === 'contactPhone' ? { ...line, hint: texts.mobileHint } : line)),
  { name: 'contactTitle', label: t('Job title'), hint: texts.titleHint, autoComplete: 'organization-title' },
]

const LEGAL_FORMS: readonly { value: BusinessProfile['legalForm']; label: string }[] = [
  { value: 'private_company', label: t('Company (LLC, Inc., partnership)') },
  { value: 'sole_proprietor', label: t('Sole proprietor') },
  { value: 'public_company', label: t('Publicly traded company') },
  { value: 'nonprofit', label: t('Nonprofit') },
]

const VOLUMES: readonly { value: BusinessProfile['monthlyTexts']; label: string }[] = [
  { value: 'up_to_hundred', label: t('Up to 100 a month') },
  { value: 'up_to_thousand', label: t('Up to 1,000 a month') },
  { value: 'up_to_ten_thousand', label: t('Up to 10,000 a month') },
]

const findValue = <Value extends string>(choices: readonly { value: Value }[], chosen: string): Value | undefined =>
  choices.find(({ value }) => value === chosen)?.value

type RegistrationFormProps = {
  profile: BusinessProfile
  isLocal: boolean
  /** What the owner accepts first. */
  fees?: RegistrationFees | null | undefined
}

export function RegistrationForm({ profile, isLocal, fees }: RegistrationFormProps) {
  const [values, setValues] = useState(profile)
  const [isAsking, setAsking] = useState(false)
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
          value={values[name] ?? ''}
          onChange={({ target }) => setValues((before) => ({ ...before, [name]: target.value }))}
        />
      )}
    </Field>
  )
  return (
    <form
      aria-label={texts.title}
      noValidate
      className="grid gap-4"
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        if (fees) setAsking(true)
        else submit.mutate({ profile: values, acceptsFees: false })
      }}
    >
      <Field label={t('Kind of business')} unmarked error={errors['legalForm']}>
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
      <h4 className="font-semibold">{t('Who the carriers can ask')}</h4>
      {(isLocal ? LOCAL_CONTACT : CONTACT).map(renderLine)}
      <Field label={t('How many texts')} unmarked error={errors['monthlyTexts']}>
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
          {texts.submit}
        </Button>
      </div>
      {fees && (
        <FeesDialog
          fees={fees}
          open={isAsking}
          pending={submit.isPending}
          onClose={() => setAsking(false)}
          onAccept={() => submit.mutate({ profile: values, acceptsFees: true }, { onSettled: () => setAsking(false) })}
        />
      )}
    </form>
  )
}
