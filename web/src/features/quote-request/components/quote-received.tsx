import { useEffect, useRef } from 'react'
import type { Schema } from '@/api/client'
import { formatPhone } from '@/lib/format/phone'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { EmergencyCall } from '@/features/customer-page/emergency-call'
import { FreeTimes } from '@/features/customer-page/free-times'
import { quoteMessages, formatTurnaround } from '../messages'
import type { SentQuote } from './quote-form'

type QuoteReceivedProps = SentQuote & { context: Schema['FormContext'] | undefined }

export function QuoteReceived({ context, values, receipt }: QuoteReceivedProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { customerName, serviceType, email, phone, address } = values
  const isConfirmed = receipt.confirmedByEmail !== false
  useEffect(() => {
    globalThis.scrollTo(0, 0)
    heading.current?.focus()
  }, [])
  return (
    <div className="glass-card mx-auto mt-6 grid max-w-xl justify-items-center gap-4 p-6 text-center sm:p-10">
      <Icon name="check-circle" className="size-16 text-success" />
      <h1 ref={heading} tabIndex={-1} className="text-title outline-none">
        {quoteMessages.received}
      </h1>
      <p className="text-crew">
        Thank you, {customerName}! We have your request for <strong>{serviceType}</strong> and will send you a detailed
        quote{formatTurnaround(receipt)}
      </p>
      {(isConfirmed || phone) && (
        <ul className="grid w-full gap-3 rounded-field border border-primary/22 p-4 text-left">
          {isConfirmed && (
            <li className="flex gap-3">
              <Icon name="mail" className="mt-0.5 text-primary" />
              <span className="min-w-0">
                A confirmation email goes to{' '}
                <strong>
                  <BreakableAddress>{email}</BreakableAddress>
                </strong>
              </span>
            </li>
          )}
          {phone && (
            <li className="flex gap-3">
              <Icon name="phone" className="mt-0.5 text-primary" />
              <span>
                We will call you at <strong className="whitespace-nowrap">{formatPhone(phone)}</strong>
              </span>
            </li>
          )}
        </ul>
      )}
      <EmergencyCall context={context} />
      <FreeTimes context={context} receipt={receipt} address={address} />
      <p className="text-muted">
        Your reference: <strong className="text-base-content tabular-nums">{receipt.reference}</strong>
      </p>
      <Button variant="secondary" onClick={() => globalThis.location.reload()}>
        {quoteMessages.again}
      </Button>
    </div>
  )
}
