// Moves that wait for a connection, applied to the board.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { outbox } from '@/offline/outbox/outbox'
import { type EntryOfKind, useEntriesOfKind } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/features/session/use-session'
import { moveLeadToColumn } from './move-lead'
import { type BoardColumn, boardQueries } from './queries'

type StageEntry = Pick<EntryOfKind<'lead_stage'>, 'jobId' | 'command'>

function applyMove(columns: readonly BoardColumn[], { jobId, command: { to } }: StageEntry): BoardColumn[] {
  const lead = columns.flatMap(({ leads }) => leads).find(({ id }) => id === jobId)
  return lead && lead.stage !== to ? moveLeadToColumn(columns, lead, to) : [...columns]
}

/** Pending moves count as done, refused ones do not. */
export function applyPendingMoves(
  columns: readonly BoardColumn[],
  entries: readonly EntryOfKind<'lead_stage'>[],
): readonly BoardColumn[] {
  return entries.filter(({ refusal }) => refusal === null).reduce(applyMove, columns)
}

/** The board with pending moves, and these entries. */
export function usePendingMoves(columns: readonly BoardColumn[]) {
  const entries = useEntriesOfKind('lead_stage')
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  // Keeps a sent move in place until the board is fetched again.
  useEffect(
    () =>
      outbox.onSent(({ jobId, command }) => {
        if (command.kind !== 'lead_stage') return
        client.setQueriesData<BoardColumn[]>(
          { queryKey: boardQueries.boards(orgId) },
          (shown) => shown && applyMove(shown, { jobId, command }),
        )
      }),
    [client, orgId],
  )
  return { columns: applyPendingMoves(columns, entries), entries }
}
