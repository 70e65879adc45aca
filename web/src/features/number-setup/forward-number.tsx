// Call forwarding: the codes of the carrier with the number filled in, and a test by a call.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCurrentUser } from '@/features/session/use-session'
import { formatPhone } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { ChipChoice } from '@/ui/chip-choice'
import { CopyButton } from '@/ui/copy-field'
import { Disclosure } from '@/ui/disclosure'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import {
  type CarrierId,
  CARRIERS,
  dialHref,
  type ForwardingStep,
  getForwardingCodes,
  isTollFree,
} from './forwarding-codes'
import { ForwardingTest } from './forwarding-test'
import { numberSetupMessages } from './messages'
import { numberQueries } from './queries'

const texts = numberSetupMessages.forward

export function ForwardNumber() {
  const { orgId } = useCurrentUser()
  const current = useQuery(numberQueries.current(orgId))
  return (
    <QueryBoundary query={current} skeleton={<SkeletonLines lines={4} />} errorText={numberSetupMessages.loadFailed}>
      {({ number }) =>
        number ? <ForwardingSteps number={number} /> : <Notice tone="info" title={texts.needsNumber} />
      }
    </QueryBoundary>
  )
}

function ForwardingSteps({ number }: { number: string }) {
  const [carrier, setCarrier] = useState<CarrierId>('verizon')
  const { on, off, fallback, note } = getForwardingCodes(carrier, number)
  return (
    <div className="grid gap-4">
      <p className="text-note text-muted">{texts.about}</p>
      <p>
        {t('Your Toolbox number is')} <strong>{formatPhone(number)}</strong>.
      </p>
      {isTollFree(number) && <Notice tone="warning" title={texts.tollFree} />}
      <div className="grid gap-2">
        <p className="font-semibold">{texts.carrier}</p>
        <ChipChoice legend={texts.carrier} chips={CARRIERS} value={carrier} onChange={setCarrier} />
      </div>
      <CodeList label={t('Codes')} steps={on} />
      {note && <p className="text-note text-muted">{note}</p>}
      <p className="text-note text-muted">{texts.iphone}</p>
      {fallback.length > 0 && (
        <Disclosure summary={texts.fallback}>
          <CodeList label={texts.fallback} steps={fallback} />
        </Disclosure>
      )}
      <Disclosure summary={texts.off}>
        <CodeList label={texts.off} steps={off} />
      </Disclosure>
      <ForwardingTest />
    </div>
  )
}

function CodeList({ label, steps }: { label: string; steps: readonly ForwardingStep[] }) {
  return (
    <ul aria-label={label} className="grid gap-3">
      {steps.map((step) => (
        <li key={step.code} className="grid gap-2">
          <span className="text-note">{step.label}</span>
          <code className="text-crew font-semibold wrap-anywhere">{step.code}</code>
          <span className="flex flex-wrap gap-2">
            <a
              href={dialHref(step.code)}
              aria-label={t('Dial {code}', { code: step.code })}
              className="btn btn-primary min-h-12 rounded-field px-4 text-base font-semibold"
            >
              {texts.dial}
            </a>
            <CopyButton
              label={t('Copy {code}', { code: step.code })}
              value={step.code}
              copied={texts.copied}
              failed={texts.copyFailed}
            >
              {t('Copy')}
            </CopyButton>
          </span>
        </li>
      ))}
    </ul>
  )
}
