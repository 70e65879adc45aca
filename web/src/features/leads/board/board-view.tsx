// The leads of the business on the board, all or those that a search finds.
import { useQuery } from '@tanstack/react-query'
import { useCurrentUser } from '@/session/use-session'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { NoLeads } from '../components/no-leads'
import { leadsMessages } from '../messages'
import { Board } from './board'
import { boardMessages } from './messages'
import { boardQueries } from './queries'

export function BoardView({ q }: { q: string }) {
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
      {(columns) => <Board columns={columns} q={q} />}
    </QueryBoundary>
  )
}
