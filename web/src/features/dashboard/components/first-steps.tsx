// A business that has just begun: no figure is made up for it, it is told what brings the first ones.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/session/use-session'
import { isClosed, trustQuery } from '@/features/trust/queries'
import { Breakable } from '@/ui/breakable'
import { Card } from '@/ui/card'
import { CopyButton } from '@/ui/copy-field'
import { dashboardMessages as texts } from '../messages'
import { dashboardQueries } from '../queries'

export function FirstSteps() {
  const { orgId, orgSlug } = useCurrentUser()
  const number = useQuery(dashboardQueries.sendingNumber(orgId))
  const trust = useQuery(trustQuery(orgId))
  // Nothing is promised before it is known that messages leave.
  const opened = trust.data !== undefined && !isClosed(trust.data)
  const path = paths.publicLead(orgSlug)
  const link = `${globalThis.location.origin}${path}`
  return (
    <Card title={texts.first.title} icon="sparkle">
      <ol className="grid list-decimal gap-4 pl-5 marker:font-semibold marker:text-primary lg:grid-cols-3 lg:gap-6">
        <Step title="Let requests in">
          Put the link to your form on your website, or send it to a customer.{' '}
          {opened
            ? 'Each request is answered within seconds.'
            : 'Once your business can write to customers, each request is answered within seconds.'}
          <p className="mt-2">
            <a href={path} target="_blank" rel="noopener noreferrer" className="text-link">
              <Breakable>{link}</Breakable>
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
        </Step>
        {number.data?.why === null ? (
          <Step title="Your texts have a number">
            {opened
              ? 'Texts go out in your name. Calls to it that nobody takes are texted back.'
              : 'Once your business can write to customers, texts go out in your name, and calls to it that nobody takes are texted back.'}{' '}
            <StepLink to={paths.textingNumber}>See the number</StepLink>
          </Step>
        ) : (
          <Step title="Connect your phone number">
            {opened
              ? 'Then texts go out in your name, and missed calls are texted back.'
              : 'Once your business can write to customers, texts go out in your name, and missed calls are texted back.'}{' '}
            <StepLink to={paths.textingNumber}>Open settings</StepLink>
          </Step>
        )}
        <Step title="Book the work">
          Add a crew, then give the first job its time: what is done and paid becomes your figures.{' '}
          <StepLink to={paths.jobs}>Add a job</StepLink>
        </Step>
      </ol>
    </Card>
  )
}

function Step({ title, children }: { title: string; children: ReactNode }) {
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
