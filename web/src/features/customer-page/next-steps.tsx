// Replaces a form that was sent: who answers, when and where, and what to do in an emergency.
import { useEffect, useRef } from 'react'
import type { Schema } from '@/api/client'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { EmergencyCall } from './emergency-call'
import { FreeTimes } from './free-times'
import { customerPageMessages as texts } from './messages'

export type NextStepsProps = {
  context: Schema['FormContext'] | undefined
  receipt: Schema['Created']
  /** As typed; empty where left out. */
  phone: string
  email: string
  onAgain: () => void
}

export function NextSteps({ context, receipt, phone, email, onAgain }: NextStepsProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    globalThis.scrollTo(0, 0)
    heading.current?.focus()
  }, [])
  return (
    <div className="glass-card mx-auto mt-6 grid max-w-xl justify-items-center gap-4 p-6 text-center sm:p-10">
      <Icon name="check-circle" className="size-16 text-success" />
      <h1 ref={heading} tabIndex={-1} className="text-title outline-none">
        {texts.received}
      </h1>
      <ul className="grid w-full gap-3 rounded-field border border-primary/22 p-4 text-left">
        <li className="flex gap-3">
          <Icon name="clock" className="mt-0.5 shrink-0 text-primary" />
          <span className="min-w-0">{texts.answeredBy(context?.orgName, receipt.readingTime)}</span>
        </li>
        <li className="flex gap-3">
          <Icon name="message" className="mt-0.5 shrink-0 text-primary" />
          <span className="min-w-0">
            <BreakableAddress>
              {texts.answerPlaces({ phone, email, hasSender: context?.hasSender ?? false })}
            </BreakableAddress>
          </span>
        </li>
      </ul>
      {receipt.photosLeftOut && <p>{receipt.photosLeftOut}</p>}
      <EmergencyCall context={context} />
      <FreeTimes context={context} receipt={receipt} />
      <p className="text-muted">
        Your reference: <strong className="text-base-content tabular-nums">{receipt.reference}</strong>
      </p>
      <Button variant="secondary" onClick={onAgain}>
        {texts.again}
      </Button>
    </div>
  )
}
