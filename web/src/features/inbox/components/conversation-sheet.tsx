import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import { Link } from 'react-router-dom'
import { ContactPoint } from '@/features/contact-points/contact-point'
import { ANY_LANGUAGE, LANGUAGES, TEXT_OPT_OUTS, getTextOptOut, type Language } from '@/domain/customer'
import { serviceLabel } from '@/domain/lead'
import { formatDate } from '@/lib/format/date'
import { telHref } from '@/lib/format/phone'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Icon } from '@/ui/icon'
import { StageBadge } from '@/ui/stage-badge'
import { Toggle } from '@/ui/toggle'
import { useChangeThread } from '../mutations'
import { inboxQueries } from '../queries'
import type { ConversationPage, ThreadChange } from '../types'
import { SnoozeOptions } from './snooze-options'

/** Needs a connection. */
const DecisionSheet = lazy(async () => ({ default: (await import('./decision-sheet')).DecisionSheet }))

type ConversationSheetProps = { open: boolean; onClose: () => void; conversation: ConversationPage; timeZone: string }

export function ConversationSheet({ open, onClose, conversation, timeZone }: ConversationSheetProps) {
  const { customer, thread } = conversation
  const { mutate } = useChangeThread(customer.id)
  const [isAsking, setIsAsking] = useState(false)
  const isOnline = useOnline()
  const changeAndClose = (change: ThreadChange) => {
    mutate(change)
    onClose()
  }
  return (
    <>
      <Dialog open={open} onClose={onClose} title={customer.name || t('This customer')}>
        <div className="grid gap-5">
          {thread && (
            <>
              <AssigneeSelect
                assignedTo={thread.assignedTo?.id ?? ''}
                onChange={(assignedTo) => mutate({ assignedTo })}
              />
              <SnoozeOptions
                until={thread.snoozedUntil ?? null}
                timeZone={timeZone}
                onPick={(snoozedUntil) => changeAndClose({ snoozedUntil })}
              />
            </>
          )}
          <SheetSection title={t('Person')}>
            {thread && (
              <>
                <LanguageChoice language={customer.language ?? null} onChange={(language) => mutate({ language })} />
                <Toggle
                  label={t('Staff or relative')}
                  hint={t('No rule writes to them')}
                  checked={customer.isStaff}
                  onChange={(isStaff) => mutate({ isStaff })}
                />
                <Toggle
                  label={t('Blocked')}
                  hint={t('No rule writes to them, you still can')}
                  checked={customer.isBlocked}
                  onChange={(isBlocked) => mutate({ isBlocked })}
                />
              </>
            )}
            {customer.phoneShown && (
              <p className="text-note text-muted">
                {t('Phone:')}{' '}
                <ContactPoint
                  href={telHref(customer.phone ?? customer.phoneShown)}
                  isAside={customer.setAside.includes('phone')}
                  proof={customer.phoneProof}
                  alsoFor={customer.phoneAlsoFor}
                >
                  {customer.phoneShown}
                </ContactPoint>
              </p>
            )}
            {customer.otherNumbers.map((number) => (
              <OtherNumber key={number.phone} number={number} />
            ))}
            <Link
              to={paths.customer(customer.id)}
              className="text-link inline-flex min-h-6 w-fit items-center gap-1.5 text-note"
            >
              <Icon name="user" className="size-4" />
              {t('Customer record')}
            </Link>
            {customer.email && (
              <p className="text-note text-muted">
                {t('Email:')}{' '}
                <ContactPoint
                  href={`mailto:${customer.email}`}
                  isAside={customer.setAside.includes('email')}
                  proof={customer.emailProof}
                  alsoFor={customer.emailAlsoFor}
                >
                  {customer.email}
                </ContactPoint>
              </p>
            )}
          </SheetSection>
          <LeadLinks conversation={conversation} timeZone={timeZone} />
          <div className="grid gap-2">
            <Button
              variant="secondary"
              icon="shield"
              wide
              disabled={!isOnline}
              onClick={() => {
                onClose()
                setIsAsking(true)
              }}
            >
              {t('Why was something sent, or not?')}
            </Button>
            {thread && (
              <Button
                variant="secondary"
                icon={thread.isClosed ? 'inbox' : 'check-circle'}
                wide
                onClick={() => changeAndClose({ isClosed: !thread.isClosed })}
              >
                {thread.isClosed ? t('Open again') : t('Close the conversation')}
              </Button>
            )}
          </div>
        </div>
      </Dialog>
      {isAsking && (
        <Suspense fallback={null}>
          <DecisionSheet
            open
            onClose={() => setIsAsking(false)}
            message={null}
            leadId={thread?.leadId ?? customer.leads[0]?.id ?? null}
            timeZone={timeZone}
          />
        </Suspense>
      )}
    </>
  )
}

function SheetSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-2">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  )
}

function OtherNumber({
  number: { phone, phoneShown, smsOptOut },
}: {
  number: ConversationPage['customer']['otherNumbers'][number]
}) {
  const refusal = getTextOptOut(smsOptOut)
  return (
    <p className="text-note text-muted">
      {t('Also:')}{' '}
      <a href={telHref(phone)} className="text-link">
        {phoneShown}
      </a>
      {refusal && (
        <>
          {' '}
          <span className="text-error">{TEXT_OPT_OUTS[refusal].ofNumber}</span>
        </>
      )}
    </p>
  )
}

function AssigneeSelect({ assignedTo, onChange }: { assignedTo: string; onChange: (id: string | null) => void }) {
  const id = useId()
  const { orgId } = useCurrentUser()
  const { data: team = [], isError } = useQuery(inboxQueries.team(orgId))
  return (
    <section className="grid gap-2">
      <label htmlFor={id} className="font-semibold">
        {t('Whose is it?')}
      </label>
      <select
        id={id}
        className="select"
        value={assignedTo}
        disabled={team.length === 0}
        onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
      >
        <option value="">{t('Not assigned yet')}</option>
        {team
          .filter((member) => member.isActive)
          .map((member) => (
            <option key={member.id} value={member.id}>
              {member.name}
            </option>
          ))}
      </select>
      {isError && (
        <p className="text-note text-warning">{t('The team could not be loaded. Open this again in a moment.')}</p>
      )}
    </section>
  )
}

function LanguageChoice({
  language,
  onChange,
}: {
  language: Language | null
  onChange: (language: Language | null) => void
}) {
  const id = useId()
  return (
    <div className="grid grid-cols-[1fr_9.5rem] items-center gap-3">
      <label htmlFor={id}>{t('Language we write in')}</label>
      <select
        id={id}
        className="select"
        value={language ?? ''}
        onChange={({ target: { value } }) => onChange(value === 'en' || value === 'es' ? value : null)}
      >
        <option value="">{ANY_LANGUAGE}</option>
        {Object.entries(LANGUAGES).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  )
}

function LeadLinks({ conversation: { customer }, timeZone }: { conversation: ConversationPage; timeZone: string }) {
  if (customer.leads.length === 0) return null
  return (
    <SheetSection title={customer.leads.length === 1 ? t('Request') : t('Requests')}>
      <ul className="grid gap-2">
        {customer.leads.map((lead) => (
          <li key={lead.id}>
            <Link
              to={paths.lead(lead.id)}
              className="flex min-h-12 items-center justify-between gap-3 rounded-field border border-primary/22 px-3 py-2 hover:bg-primary/8"
            >
              <span className="min-w-0">
                <span className="block font-semibold">{serviceLabel(lead.service)}</span>
                <span className="text-note text-muted">
                  #{lead.reference}, {formatDate(lead.createdAt, timeZone)}
                </span>
              </span>
              <span className="flex items-center gap-2">
                <StageBadge stage={lead.stage} />
                <Icon name="arrow-right" className="size-4 text-primary" />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </SheetSection>
  )
}
