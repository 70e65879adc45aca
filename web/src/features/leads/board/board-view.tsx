import { useQuery } from '@tanstack/react-query'
import { useCurrentUser } from '@/features/session/use-session'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { NoLeads } from '../components/no-leads'
import { leadsMessages } from '../messages'
import { LeadBoard } from './board'
import { boardMessages } from './messages'
import { boardQueries } from './queries'

export function LeadBoardView({ q }: { q: string }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const board = useQuery(boardQueries.board(orgId, q))
  return (
    <QueryBoundary
      query={board}
      errorText={boardMessages.failed}
      timeZone={orgTimezone}
      isEmpty={(columns) => columns.every(({ count }) => count === 0)}
      empty={
        q === '' ? (
          <NoLeads />
        ) : (
          <div className="glass-card" role="status">
            <EmptyState icon="search" title={leadsMessages.noMatch} />
          </div>
        )
      }
    >
      {(columns) => <LeadBoard columns={columns} q={q} />}
    </QueryBoundary>
  )
}
