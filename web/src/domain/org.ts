import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'

export type Role = Schema['Role']

export const ROLE_LABELS = {
  owner: t('Owner'),
  office: t('Office'),
  crew: t('Crew'),
} as const satisfies Record<Role, string>

export const DEFAULT_TIMEZONE = 'America/Chicago'
export const DEFAULT_INDUSTRY = 'Contractor'
export const MIN_PASSWORD_LENGTH = 8
export const MAX_PASSWORD_LENGTH = 128
