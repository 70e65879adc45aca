import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'

export type RetentionKind = Schema['RetentionKind']
export type RetentionPeriod = Schema['RetentionPeriod']
export type RetentionRun = Schema['RetentionNight']

const FAILED = { title: t('Not changed'), description: t('Nothing was changed. Please try again.') } as const

export const retentionQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['org', orgId, 'retention'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/retention', { signal })),
    staleTime: 0,
  })

/** How many the first night under a period removes. */
export const retentionPreviewQuery = (orgId: string, kind: RetentionKind, days: number) =>
  queryOptions({
    queryKey: ['org', orgId, 'retention', 'preview', kind, days] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/retention/preview', { params: { query: { kind, days } }, signal })),
    staleTime: 0,
  })

/** Sets a period. A shorter one waits for a day. */
export function useSetRetention() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (body: { kind: RetentionKind; days: number }) => unwrap(api.PUT('/api/retention', { body })),
    meta: { success: { title: t('Saved') }, failure: FAILED, invalidates: [retentionQuery(orgId).queryKey] },
  })
}

/** Takes a shorter period back. */
export function useUndoRetention() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (kind: RetentionKind) => unwrap(api.POST('/api/retention/undo', { body: { kind } })),
    meta: {
      success: { title: t('Undone'), description: t('Nothing was deleted by the shorter period.') },
      failure: FAILED,
    },
    onSettled: () => client.invalidateQueries({ queryKey: retentionQuery(orgId).queryKey }),
  })
}

const YEAR = 365
const CHOICES = [30, 90, 180, YEAR, 2 * YEAR, 3 * YEAR, 4 * YEAR, 5 * YEAR, 7 * YEAR, 10 * YEAR]

/** `2 years`, `90 days`. */
export function formatPeriod(days: number): string {
  if (days % YEAR !== 0) return t('{days} days', { days })
  const years = days / YEAR
  return plural(years, '{count} year', '{count} years')
}

/** Selectable periods, including the current one. */
export function getPeriodOptions({ days, minDays, maxDays }: RetentionPeriod): number[] {
  const allowed = CHOICES.filter((choice) => choice >= minDays && choice <= maxDays)
  return [...new Set([...allowed, days])].toSorted((one, other) => one - other)
}
