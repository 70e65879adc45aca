// The columns of an estimate with all that can be done to them.
import type { UseFormReturn } from 'react-hook-form'
import type { LineItemsValues } from '@/features/documents/schema'
import { buildLineChanges } from './line-changes'
import { addOption, removeOption } from './option-changes'
import { useColumnReport } from './use-column-report'
import { useColumnStructure } from './use-column-structure'

export type EstimateColumns = ReturnType<typeof useEstimateColumns>

/** `handleHintId` is of the text that says how a line is moved by keys. */
export function useEstimateColumns(form: UseFormReturn<LineItemsValues>, defaultTax: string, handleHintId: string) {
  const structure = useColumnStructure(form)
  const report = useColumnReport()
  return {
    ...structure,
    ...report,
    ...buildLineChanges(structure, report, defaultTax),
    handleHintId,
    addOption: () => addOption(structure, report),
    removeOption: (optionId: string) => removeOption(structure, report, optionId, defaultTax),
  }
}
