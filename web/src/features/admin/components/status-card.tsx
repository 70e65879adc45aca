// The status card: the score out of a hundred, three facts about the account, and what raises the score.
import { useQuery } from '@tanstack/react-query'
import type { Schema } from '@/api/client'
import { useCurrentUser } from '@/session/use-session'
import { Card } from '@/ui/card'
import { ShareBar } from '@/ui/chart/share-bar'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StateLine } from '@/ui/state-line'
import { adminMessages } from '../messages'
import { adminQueries } from '../queries'
import { Unavailable } from './unavailable'

const texts = adminMessages.status
/** From these on the score is good, and not yet bad. */
const GOOD = 90
const FAIR = 70

export function StatusCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const status = useQuery(adminQueries.status(orgId))
  return (
    <Card title={texts.title} icon="shield">
      <QueryBoundary
        query={status}
        skeleton={<SkeletonLines lines={6} />}
        timeZone={orgTimezone}
        renderError={() => (
          <Unavailable title={texts.unavailable} isRetrying={status.isFetching} onRetry={() => void status.refetch()} />
        )}
      >
        {(found) => <Status status={found} />}
      </QueryBoundary>
    </Card>
  )
}

function Status({
  status: { securityScore, twoFactorEnabled, accountLocked, sessionSecure, recommendations },
}: {
  status: Schema['SecurityStatus']
}) {
  return (
    <div className="grid gap-4">
      <Score score={securityScore} />
      <ul className="grid gap-2">
        <li>
          <Fact isGood={twoFactorEnabled} words={`2FA enabled: ${twoFactorEnabled ? 'yes' : 'no'}`} />
        </li>
        <li>
          <Fact isGood={!accountLocked} words={`Account locked: ${accountLocked ? 'yes' : 'no'}`} />
        </li>
        <li>
          <Fact isGood={sessionSecure} words={`Session secure: ${sessionSecure ? 'yes' : 'no'}`} />
        </li>
      </ul>
      {recommendations.length > 0 && (
        <section aria-labelledby="recommendations" className="grid gap-2">
          <h3 id="recommendations" className="font-semibold">
            Recommendations
          </h3>
          <ul className="grid gap-2">
            {recommendations.map((advice) => (
              <li key={advice} className="flex items-start gap-2 text-note">
                <Icon name="arrow-right" className="mt-0.5 size-4 text-primary" />
                <span className="min-w-0 wrap-anywhere">{advice}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function Score({ score }: { score: number }) {
  const ink = score >= GOOD ? 'text-success' : score >= FAIR ? 'text-warning' : 'text-error'
  const words = score >= GOOD ? 'Good' : score >= FAIR ? 'Could be better' : 'Needs work'
  return (
    <div className="grid gap-2">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="text-4xl font-semibold tabular-nums">
          <span className={ink}>{score}</span>
          <span className="text-section text-muted"> / 100</span>
        </span>
        <span className="font-semibold">{words}</span>
      </p>
      <ShareBar parts={[{ ink: 'main', value: score }]} whole={100} />
    </div>
  )
}

function Fact({ isGood, words }: { isGood: boolean; words: string }) {
  return (
    <StateLine plain tone={isGood ? 'success' : 'warning'} icon={isGood ? 'check-circle' : 'alert'}>
      {words}
    </StateLine>
  )
}
