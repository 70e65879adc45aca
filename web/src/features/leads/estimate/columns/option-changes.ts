// Options added and removed.
import { emptyLine } from '@/features/documents/line-values'
import { isEmptyLine } from '@/features/documents/price-line'
import { type LineValues, MIN_OPTIONS } from '@/features/documents/schema'
import { columnTexts as texts } from './messages'
import { planAddedOption } from './option-structure'
import type { ColumnReport } from './use-column-report'
import type { ColumnStructure } from './use-column-structure'

const DIRTY = { shouldDirty: true }
const NO_FOCUS = { shouldFocus: false }

/** The new option starts as a copy of the last one, and its first price has the focus. */
export function addOption({ form, lines, options, hasOptions }: ColumnStructure, report: ColumnReport): void {
  const { ownedBy, added, before, copies, recommended, options: all } = planAddedOption(form.getValues())
  if (ownedBy !== undefined) for (const at of lines.fields.keys()) form.setValue(`lines.${at}.optionId`, ownedBy, DIRTY)
  if (hasOptions) options.append(added, NO_FOCUS)
  else options.replace(all)
  form.setValue('hasOptions', true, DIRTY)
  form.setValue('recommended', recommended, DIRTY)
  if (copies.length > 0) lines.append(copies, NO_FOCUS)
  report.dismissRemoval()
  report.announce(texts.added(added.name, before.name))
  report.setFocus({ column: added.optionId, part: copies.length > 0 ? 'price' : 'new-line' })
}

/** Its lines go with it, and come back with it. */
export function removeOption(
  { form, lines, options, optionIds, columnOf, nameOf }: ColumnStructure,
  report: ColumnReport,
  optionId: string,
  defaultTax: string,
): void {
  const values = form.getValues()
  const at = optionIds.indexOf(optionId)
  const option = values.options[at]
  if (!option) return
  const [own, title] = [columnOf(optionId).map((place) => place.at), texts.optionRemoved(nameOf(optionId))]
  const gone = own.flatMap((index) => values.lines[index] ?? [])
  if (own.length > 0) lines.remove(own)
  options.remove(at)
  if (optionIds.length <= MIN_OPTIONS) form.setValue('hasOptions', false, DIRTY)
  if (values.recommended === optionId)
    form.setValue('recommended', values.options.find((one) => one !== option)?.optionId ?? '', DIRTY)
  // An estimate has at least one line.
  if (gone.length === values.lines.length) lines.append(emptyLine(defaultTax), NO_FOCUS)
  report.offerUndo(title, () => {
    options.insert(at, option, NO_FOCUS)
    form.setValue('hasOptions', true, DIRTY)
    form.setValue('recommended', values.recommended, DIRTY)
    restoreLines({ form, lines }, gone)
    report.setFocus({ column: optionId, part: 'new-line' })
  })
}

function restoreLines({ form, lines }: Pick<ColumnStructure, 'form' | 'lines'>, gone: LineValues[]): void {
  const [first, second] = form.getValues('lines')
  if (isEmptyLine(first) && !second) lines.replace(gone)
  else if (gone.length > 0) lines.append(gone, NO_FOCUS)
}
