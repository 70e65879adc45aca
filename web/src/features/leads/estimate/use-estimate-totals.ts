// Totals of each option: local at once, then the server's.
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext, useMemo } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import type { PercentOrAmount } from '@/features/documents/document-totals'
import { parsePercentOrAmount } from '@/features/documents/line-values'
import { getOptionTotals, type OptionTotals, toOptionTotals } from '@/features/documents/option-totals'
import { documentQueries } from '@/features/documents/queries'
import { useDebouncedRequest } from '@/features/documents/use-debounced-request'
import { useCurrentUser } from '@/features/session/use-session'
import { leadQueries } from '../queries'
import { estimateSchema, type EstimateValues } from '../schema'
import { toEstimateRequest } from './estimate-values'

const NO_TOTALS: readonly OptionTotals[] = []

export const EstimateTotalsContext = createContext<readonly OptionTotals[]>(NO_TOTALS)

export const useShownTotals = () => useContext(EstimateTotalsContext)

export function useEstimateTotals(form: UseFormReturn<EstimateValues>, leadId: string): readonly OptionTotals[] {
  // While it is shown every field is there.
  const values = useWatch({ control: form.control }) as EstimateValues
  const defaultDeposit = useDefaultDeposit()
  const { depositKind, deposit } = values
  const local = getOptionTotals(
    values,
    depositKind === 'standing' ? defaultDeposit : (parsePercentOrAmount(depositKind, deposit) ?? { kind: 'none' }),
  )
  return useServerTotals(leadId, values) ?? local
}

function useDefaultDeposit(): PercentOrAmount {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(documentQueries.settings(orgId))
  const { kind = 'none', value } = data?.estimates.deposit ?? {}
  return parsePercentOrAmount(kind, typeof value === 'number' ? String(value) : '') ?? { kind: 'none' }
}

/** The server's word for exactly these values; undefined while they are typed, incomplete, or out of its reach. */
function useServerTotals(leadId: string, values: EstimateValues): OptionTotals[] | undefined {
  const { orgId } = useCurrentUser()
  const body = useDebouncedRequest(
    useMemo(
      () => (estimateSchema.safeParse(values).success ? { ...toEstimateRequest(values), leadId } : undefined),
      [values, leadId],
    ),
  )
  const { data } = useQuery({ ...leadQueries.estimateTotals(orgId, body ?? { leadId }), enabled: body !== undefined })
  if (body === undefined || !data?.length) return undefined
  return data.map(toOptionTotals)
}
