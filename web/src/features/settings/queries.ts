import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Language } from '@/domain/customer'
import type { SwitchName, TemplateDraft, TemplateKind } from './types'

/** How far a preview looks ahead. */
export const PREVIEW_DAYS = 30

/** While the Control Panel is in sight, which no event keeps fresh. */
export const POLL_INTERVAL_MS = 30_000

export const settingsQueries = {
  all: (orgId: string) => ['org', orgId, 'settings'] as const,
  organization: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'organization'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/org/{orgId}', { params: { path: { orgId } }, signal })),
      meta: { offline: true },
    }),
  settings: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'settings'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/org/{orgId}/settings', { params: { path: { orgId } }, signal })),
      meta: { offline: true },
    }),
  templates: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'templates'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/org/{orgId}/templates', { params: { path: { orgId } }, signal })),
      meta: { offline: true },
    }),
  versions: (orgId: string, kind: TemplateKind, language: Language) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'versions', kind, language] as const,
      queryFn: ({ signal }) =>
        unwrap(
          api.GET('/api/org/{orgId}/templates/{kind}/versions', {
            params: { path: { orgId, kind }, query: { language } },
            signal,
          }),
        ),
      staleTime: 0,
    }),
  /** The draft filled with a real customer; fetched after each pause in typing. */
  templatePreview: (orgId: string, kind: TemplateKind, draft: TemplateDraft) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'template-preview', kind, draft] as const,
      queryFn: ({ signal }) =>
        unwrap(
          api.POST('/api/org/{orgId}/templates/{kind}/preview', {
            params: { path: { orgId, kind } },
            body: draft,
            signal,
          }),
        ),
      gcTime: 60_000,
    }),
  switchPreview: (orgId: string, name: SwitchName) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'switch-preview', name] as const,
      queryFn: ({ signal }) =>
        unwrap(
          api.GET('/api/org/{orgId}/preview', {
            params: { path: { orgId }, query: { switch: name, days: PREVIEW_DAYS } },
            signal,
          }),
        ),
      staleTime: 0,
      gcTime: 0,
    }),
  /** What the report would say now, when the next one is due, and what became of the last ones. */
  pulse: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'pulse'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/kpi-pulse', { signal })),
      staleTime: 0,
    }),
  systemStatus: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'system-status'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/system/status', { signal })),
      staleTime: 0,
      refetchInterval: POLL_INTERVAL_MS,
    }),
  webhooks: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'webhooks'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/webhooks/status', { signal })),
      staleTime: 0,
      refetchInterval: POLL_INTERVAL_MS,
    }),
  /** Whether other programs may send reviews. The key itself is never returned again. */
  reviewKey: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'review-key'] as const,
      queryFn: ({ signal }) =>
        unwrap(api.GET('/api/org/{orgId}/review-webhook', { params: { path: { orgId } }, signal })),
      staleTime: 0,
    }),
  /** Channels by which members are notified of a new request now. */
  alertWays: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'alert-ways'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/alerts/ways', { signal })),
      staleTime: 0,
      refetchInterval: POLL_INTERVAL_MS,
    }),
  devices: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'devices'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/push/devices', { signal })),
      staleTime: 0,
    }),
}
