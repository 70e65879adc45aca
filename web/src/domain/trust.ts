import type { Schema } from '@/api/client'

/** Whether nothing goes to the customers of the business yet. */
export const isSendingBlocked = ({ level, takesMoney }: Pick<Schema['TrustView'], 'level' | 'takesMoney'>): boolean =>
  level === 'new' || (takesMoney && level !== 'trusted')
