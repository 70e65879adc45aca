// "What your business can send": level, next step, used budgets.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { formatCount } from '@/lib/format/number'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Card } from '@/ui/card'
import { Icon } from '@/ui/icon'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { Table } from '@/ui/table'
import { type TrustView, trustQuery } from './queries'

type Step = TrustView['steps'][number]
type Budget = TrustView['budgets'][number]

const getStepName = (level: Step['level'], takesMoney: boolean) =>
  ({
    new: '',
    address_proven: t('Email address confirmed'),
    sender_verified: t('A sending number of your own'),
    trusted: takesMoney
      ? t('Subscribed, or allowed by the person who runs your Toolbox')
      : t('Allowed by the person who runs your Toolbox'),
  })[level]

const SUBJECTS = {
  text: t('Texts'),
  email: t('Emails to others'),
  invitation: t('Invitations'),
  import: t('Imported customers'),
  account_mail: t('Mails about your account'),
} as const satisfies Record<Budget['what'], string>

const COLUMNS = [
  { key: 'what', label: t('What') },
  { key: 'today', label: t('Today'), numeric: true },
  { key: 'all', label: t('In all'), numeric: true },
] as const

const FAILED = { title: t('This could not be loaded'), description: t('The answer did not arrive. Please try again.') }

export function TrustCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const trust = useQuery(trustQuery(orgId))
  return (
    <Card title={t('What your business can send')} icon="shield">
      <QueryBoundary query={trust} errorText={FAILED} timeZone={orgTimezone}>
        {({ steps, next, budgets, takesMoney, publicRequestsADay }) => (
          <div className="grid gap-4">
            <ol className="grid gap-2">
              {steps.map(({ level, isReached }) => (
                <li key={level} className="flex items-start gap-2">
                  <Icon
                    name={isReached ? 'check-circle' : 'clock'}
                    className={isReached ? 'mt-1 size-4 shrink-0 text-success' : 'mt-1 size-4 shrink-0 text-muted'}
                  />
                  <span>
                    {getStepName(level, takesMoney)}{' '}
                    <span className="text-muted">({isReached ? t('done') : t('not yet')})</span>
                  </span>
                </li>
              ))}
            </ol>
            {next ? (
              <Notice tone="info" title={t('What opens more')}>
                {next}{' '}
                {asksForNumber(steps) && (
                  <Link to={paths.textingNumber} className="text-link inline-flex min-h-6 items-center">
                    {t('Go to Texting number')}
                  </Link>
                )}
              </Notice>
            ) : (
              <p>{t('Only the limits in your own settings hold.')}</p>
            )}
            {publicRequestsADay && (
              <p>
                {t(
                  'Your lead form, quote form and booking page say that the business has not confirmed its email address, and take {count} requests a day together. That ends when you confirm it.',
                  { count: publicRequestsADay },
                )}
              </p>
            )}
            <NameInMessages />
            {budgets.length > 0 && (
              <Table hasNoLinks caption={t('Used and allowed')} columns={COLUMNS}>
                {budgets.map((budget) => (
                  <BudgetRow key={budget.what} budget={budget} />
                ))}
              </Table>
            )}
          </div>
        )}
      </QueryBoundary>
    </Card>
  )
}

/** The address is confirmed, and a number of its own comes next. */
const asksForNumber = (steps: Step[]) => {
  const isReached = (name: Step['level']) => steps.some((step) => step.level === name && step.isReached)
  return isReached('address_proven') && !isReached('sender_verified')
}

function BudgetRow({ budget: { what, usedToday, aDay, used, inAll } }: { budget: Budget }) {
  return (
    <tr>
      <td>{SUBJECTS[what]}</td>
      <td className="text-right tabular-nums">
        {t('{used} of {allowed}', { used: formatCount(usedToday), allowed: formatCount(aDay) })}
      </td>
      <td className="text-right tabular-nums">
        {t('{used} of {allowed}', { used: formatCount(used), allowed: formatCount(inAll) })}
      </td>
    </tr>
  )
}

/** What messages call a business until it is allowed without limits, where its name could be a link or a sentence. */
export function NameInMessages() {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(trustQuery(orgId))
  if (!data?.nameInMessages) return null
  return (
    <p>
      {t(
        'For now your messages call the business “{name}”: the name has a link, a number, or words like “your” or “now”. That ends with the last step of what your business can send.',
        { name: data.nameInMessages },
      )}
    </p>
  )
}
