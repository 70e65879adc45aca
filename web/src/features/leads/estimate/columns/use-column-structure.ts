// Which lines each column holds, as the form's values say it.
import { useFieldArray, useWatch, type UseFormReturn } from 'react-hook-form'
import { LINE_ITEM_LIMITS, type LineItemsValues } from '@/features/documents/schema'
import { columnTexts as texts } from './messages'
import { groupByColumn, type LinePlace, SHARED_COLUMN } from './option-structure'

const joinOptionIds = (rows: readonly { optionId: string }[]) => rows.map(({ optionId }) => optionId).join('\n')

export type ColumnStructure = ReturnType<typeof useColumnStructure>

/** Whatever changes the columns' structure renders them; typing into a line does not. */
export function useColumnStructure(form: UseFormReturn<LineItemsValues>) {
  const { control } = form
  const lines = useFieldArray({ control, name: 'lines' })
  const options = useFieldArray({ control, name: 'options' })
  const hasOptions = useWatch({ control, name: 'hasOptions' })
  useWatch({ control, name: 'lines', compute: joinOptionIds })
  // Watched for their changes: what is watched of a replaced list comes late.
  useWatch({ control, name: 'options', compute: joinOptionIds })
  const values = form.getValues('lines')
  const places = lines.fields.map(({ id }, at) => ({ id, at, optionId: values[at]?.optionId ?? '' }))
  const optionIds = hasOptions ? form.getValues('options').map(({ optionId }) => optionId) : []
  const { shared, byOption } = groupByColumn(places, optionIds)
  return {
    form,
    lines,
    options,
    hasOptions,
    optionIds,
    shared,
    isFull: places.length >= LINE_ITEM_LIMITS.lines,
    /** An estimate has at least one. */ hasSeveralLines: places.length > 1,
    columnOf: (optionId: string): LinePlace[] => byOption.get(optionId) ?? shared,
    findPlace: (id: string): LinePlace | undefined => places.find((place) => place.id === id),
    nameOf: (optionId: string) => {
      if (!hasOptions) return texts.oneColumn
      if (optionId === SHARED_COLUMN) return texts.shared
      const at = optionIds.indexOf(optionId)
      return form.getValues('options')[at]?.name || texts.unnamed(at + 1)
    },
  }
}
