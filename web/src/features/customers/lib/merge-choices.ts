// Records to merge a customer with, the likeliest first.
import type { CustomerDuplicate } from '@/features/contact-points/types'
import { t } from '@/lib/i18n'
import type { Customer, CustomerSummary } from '../types'

export type MergeChoice = Pick<
  CustomerDuplicate,
  'id' | 'name' | 'phoneShown' | 'phoneProof' | 'email' | 'emailProof'
> & {
  /** Why it may be the same person; none for a record that was only searched. */
  why?: string | undefined
}

type MergeOwner = Pick<Customer, 'id' | 'name' | 'duplicates'>

const plainName = (name: string) => name.trim().replaceAll(/\s+/g, ' ').toLowerCase()

/**
 * Without a search the suggested doubles and then the records of the same name are in front of the others. A search
 * lists what it found in the same order.
 */
export function listMergeChoices(
  { id: ownId, name: ownName, duplicates }: MergeOwner,
  query: string,
  found: readonly CustomerSummary[],
): MergeChoice[] {
  const suggested = duplicates.filter(({ id }) => query === '' || found.some((one) => one.id === id))
  const others = found.map((one) =>
    plainName(one.name) === plainName(ownName) ? { ...one, why: t('Same name') } : one,
  )
  const byLikelihood: MergeChoice[] = [
    ...suggested,
    ...others.filter((one) => 'why' in one),
    ...others.filter((one) => !('why' in one)),
  ]
  const seen = new Set([ownId])
  return byLikelihood.filter(({ id }) => {
    const isNew = !seen.has(id)
    seen.add(id)
    return isNew
  })
}
