import type { Schema } from '@/api/client'

/** Whether nothing goes to the customers of the business yet. */
export const isSendingBlocked = ({ level, takesMoney }: Pick<Schema['TrustView'], 'level' | 'takesMoney'>): boolean =>
  level === 'new' || (takesMoney && level !== 'trusted')

/** Whether emails go to the customers of the business; not promised before it is known. */
export const isEmailOpen = (trust: Schema['TrustView'] | undefined): boolean =>
  trust !== undefined && trust.mailLeaves && !isSendingBlocked(trust)
