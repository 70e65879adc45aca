// Tax options: those of the settings, and the line's current one.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useCurrentUser } from '@/features/session/use-session'
import { documentQueries } from './queries'
import { parseTaxKey, toTaxKey } from './line-values'

const NONE: never[] = []

/** The default is what a new line has; empty for no tax. */
export function useTaxes() {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(documentQueries.settings(orgId))
  const rates = data?.estimates.taxRates ?? NONE
  const defaultRate = rates.find(({ name }) => name === data?.estimates.defaultTax)
  return { rates, defaultTax: defaultRate ? toTaxKey(defaultRate) : '' }
}

export function useTaxChoices(borne: string) {
  const { rates } = useTaxes()
  return useMemo(() => {
    const keys = rates.map(toTaxKey)
    return (borne === '' || keys.includes(borne) ? keys : [...keys, borne]).flatMap((key) => {
      const tax = parseTaxKey(key)
      return tax ? [{ value: key, label: `${tax.name} (${tax.rate} %)` }] : []
    })
  }, [rates, borne])
}
