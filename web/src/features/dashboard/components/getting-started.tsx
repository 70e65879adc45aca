// First steps of a new business, in place of figures.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { isSendingBlocked, trustQuery } from '@/features/trust/queries'
import { BreakableAddress } from '@/ui/breakable-address'
import { Card } from '@/ui/card'
import { CopyButton } from '@/ui/copy-field'
import { dashboardMessages as texts } from '../messages'
import { dashboardQueries } from '../queries'

export function GettingStarted() {
  const { orgId, orgSlug } = useCurrentUser()
  const number = useQuery(dashboardQueries.sendingNumber(orgId))
  const trust = useQuery(trustQuery(orgId))
  // Nothing is promised before it is known that messages leave.
  const isSendingOpen = trust.data !== undefined && !isSendingBlocked(trust.data)
  const byEmail = number.data?.why ? ', by email only: your texts are off' : ''
  const path = paths.publicLead(orgSlug)
  const link = `${globalThis.location.origin}${path}`
  return (
    <Card title={texts.first.title} icon="sparkle">
      <ol className="grid list-decimal gap-4 pl-5 marker:font-semibold marker:text-primary lg:grid-cols-3 lg:gap-6">
        <StepItem title="Let requests in">
          Put the link to your form on your website, or send it to a customer.{' '}
          {isSendingOpen
            ? `Each request is answered within seconds${byEmail}.`
            : `Once your business can write to customers, each request is answered within seconds${byEmail}.`}
          <p className="mt-2">
            <a href={path} target="_blank" rel="noopener noreferrer" className="text-link">
              <BreakableAddress>{link}</BreakableAddress>
              <span className="sr-only"> (new tab)</span>
            </a>
          </p>
          <CopyButton
            label="Copy the address of your form"
            value={link}
            copied={texts.first.copied}
            failed={texts.first.notCopied}
            className="mt-2"
          >
            Copy link
          </CopyButton>
        </StepItem>
        {number.data?.why === null ? (
          <StepItem title="Your texts have a number">
            {isSendingOpen
              ? 'Texts go out in your name. Calls to it that nobody takes are texted back.'
              : 'Once your business can write to customers, texts go out in your name, and calls to it that nobody takes are texted back.'}{' '}
            <StepLink to={paths.textingNumber}>See the number</StepLink>
          </StepItem>
        ) : (
          <StepItem title="Connect your phone number">
            {isSendingOpen
              ? 'Then texts go out in your name, and missed calls are texted back.'
              : 'Once your business can write to customers, texts go out in your name, and missed calls are texted back.'}{' '}
            <StepLink to={paths.textingNumber}>Open settings</StepLink>
          </StepItem>
        )}
        <StepItem title="Book the work">
          Add a crew, then give the first job its time: what is done and paid becomes your figures.{' '}
          <StepLink to={paths.jobs}>Add a job</StepLink>
        </StepItem>
      </ol>
    </Card>
  )
}

function StepItem({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li className="min-w-0 pl-1">
      <p className="font-semibold">{title}</p>
      <div className="text-note text-muted">{children}</div>
    </li>
  )
}

function StepLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="text-link flex min-h-11 w-fit items-center">
      {children}
    </Link>
  )
}
