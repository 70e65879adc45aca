// The taxes a line can bear: those of the settings, and what a line bears already.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useCurrentUser } from '@/session/use-session'
import { paperQueries } from './queries'
import { readTax, taxKey } from './read-lines'

const NONE: never[] = []

/** The default is what a new line has; empty for no tax. */
export function useTaxes() {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(paperQueries.settings(orgId))
  const rates = data?.estimates.taxRates ?? NONE
  const standing = rates.find(({ name }) => name === data?.estimates.defaultTax)
  return { rates, defaultTax: standing ? taxKey(standing) : '' }
}

export function useTaxChoices(borne: string) {
  const { rates } = useTaxes()
  return useMemo(() => {
    const keys = rates.map(taxKey)
    return (borne === '' || keys.includes(borne) ? keys : [...keys, borne]).flatMap((key) => {
      const tax = readTax(key)
      return tax ? [{ value: key, label: `${tax.name} (${tax.rate} %)` }] : []
    })
  }, [rates, borne])
}
