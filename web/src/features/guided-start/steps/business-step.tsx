import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { formatPhone } from '@/lib/format/phone'
import { useCurrentUser } from '@/features/session/use-session'
import { getTradeLabel, TRADES } from '@/features/settings/lib/trades'
import { useSaveOrganization } from '@/features/settings/mutations'
import { settingsQueries } from '@/features/settings/queries'
import type { Organization } from '@/features/settings/types'
import { ChipChoice } from '@/ui/chip-choice'
import { Field } from '@/ui/field'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { startMessages } from '../messages'
import { StepFrame } from '../step-frame'
import type { StartNav } from '../use-start-nav'
import { useStepDraft } from '../use-step-draft'

const texts = startMessages.business

export function BusinessStep({ nav }: { nav: StartNav }) {
  const { orgId } = useCurrentUser()
  const found = useQuery(settingsQueries.organization(orgId))
  return (
    <QueryBoundary query={found} skeleton={<SkeletonLines lines={6} />} errorText={startMessages.loadFailed}>
      {(organization) => <BusinessForm nav={nav} organization={organization} />}
    </QueryBoundary>
  )
}

/** This device's time zone, where it differs from the business's. */
function findOtherZone(saved: string): string | undefined {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return own.startsWith('America/') && own !== saved ? own : undefined
}

const formatZone = (zone: string) => zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone

function BusinessForm({ nav, organization }: { nav: StartNav; organization: Organization }) {
  const { phone } = organization
  const save = useSaveOrganization()
  const draft = useStepDraft('business', {
    name: organization.name,
    industry: organization.industry,
    phone: phone ? formatPhone(phone) : '',
  })
  const otherZone = findOtherZone(organization.timezone)
  const [usesOtherZone, setUsesOtherZone] = useState(true)
  const [isNameMissing, setIsNameMissing] = useState(false)
  const { values } = draft
  const errors = save.error instanceof ApiError ? save.error.errors : {}
  const change = (part: Partial<typeof values>) => {
    save.reset()
    setIsNameMissing(false)
    draft.change(part)
  }
  const send = () => {
    if (values.name.trim() === '') {
      setIsNameMissing(true)
      return
    }
    const typedPhone = values.phone.trim()
    save.mutate(
      {
        name: values.name.trim(),
        industry: values.industry,
        phone: typedPhone === '' ? null : typedPhone,
        ...(otherZone && usesOtherZone ? { timezone: otherZone } : {}),
      },
      {
        onSuccess: () => {
          draft.forget()
          nav.next()
        },
      },
    )
  }
  const trades = [...new Set<string>([...TRADES.map(({ value }) => value), organization.industry])]
  const problem = save.error && Object.keys(errors).length === 0 ? describeError(save.error).description : undefined
  return (
    <StepFrame nav={nav} onContinue={send} isSaving={save.isPending} problem={problem}>
      <Field label={texts.name} required error={isNameMissing ? texts.nameMissing : errors['name']}>
        {(aria) => (
          <input
            className="input"
            autoComplete="organization"
            maxLength={100}
            aria-required
            {...aria}
            value={values.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      <div className="grid gap-1.5">
        <p className="font-semibold">{texts.trade}</p>
        <ChipChoice
          legend={texts.trade}
          chips={trades.map((trade) => ({ value: trade, label: getTradeLabel(trade) }))}
          value={values.industry}
          onChange={(industry) => change({ industry })}
        />
      </div>
      <Field label={texts.phone} hint={texts.phoneHint} error={errors['phone']}>
        {(aria) => (
          <input
            className="input"
            type="tel"
            inputMode="tel"
            autoComplete="tel"
            {...aria}
            value={values.phone}
            onChange={(event) => change({ phone: event.target.value })}
          />
        )}
      </Field>
      {otherZone && (
        <label className="flex min-h-12 cursor-pointer items-start gap-3 py-2">
          <input
            type="checkbox"
            className="checkbox checkbox-primary mt-0.5"
            checked={usesOtherZone}
            onChange={(event) => setUsesOtherZone(event.target.checked)}
          />
          <span className="min-w-0">{texts.zone(formatZone(otherZone))}</span>
        </label>
      )}
    </StepFrame>
  )
}
