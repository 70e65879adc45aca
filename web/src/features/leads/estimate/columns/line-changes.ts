// Lines added, moved, copied and removed.
import { emptyLine } from '@/features/documents/line-values'
import { columnTexts as texts } from './messages'
import { copyLine, getMoveTarget, type LinePlace, SHARED_COLUMN } from './option-structure'
import type { ColumnReport, LinePart } from './use-column-report'
import type { ColumnStructure } from './use-column-structure'

export function buildLineChanges(structure: ColumnStructure, report: ColumnReport, defaultTax: string) {
  const { form, lines, hasOptions, columnOf, nameOf } = structure
  return {
    addLine: (optionId: string) => {
      report.setFocus({ at: lines.fields.length, part: 'name' })
      lines.append({ ...emptyLine(defaultTax), optionId }, { shouldFocus: false })
    },
    /** To before the line at that place of all; without one, to the end. */
    moveLine: (from: LinePlace, optionId: string, before: number | undefined, part: LinePart) => {
      // Without options a line keeps the one it had: the removal of the others can be undone.
      if (hasOptions) form.setValue(`lines.${from.at}.optionId`, optionId, { shouldDirty: true })
      const to = getMoveTarget(from.at, before, lines.fields.length)
      if (to !== from.at) lines.move(from.at, to)
      const others = columnOf(optionId).filter(({ id }) => id !== from.id)
      const next = others.findIndex(({ at }) => at === before)
      report.announce(texts.moved((next === -1 ? others.length : next) + 1, nameOf(optionId)))
      report.setFocus({ line: from.id, part })
    },
    copyTo: (from: LinePlace, optionId: string) => {
      lines.append(copyLine(form.getValues(`lines.${from.at}`), optionId), { shouldFocus: false })
      report.announce(texts.copied(nameOf(optionId)))
    },
    removeLine: ({ at }: LinePlace) => {
      const line = form.getValues(`lines.${at}`)
      lines.remove(at)
      report.setFocus({ column: hasOptions ? line.optionId : SHARED_COLUMN, part: 'new-line' })
      report.offerUndo(texts.lineRemoved(line.name), () => {
        // Its option may have gone meanwhile: then it is part of each.
        const isKnown = form.getValues('options').some(({ optionId }) => optionId === line.optionId)
        const to = Math.min(at, form.getValues('lines').length)
        lines.insert(to, isKnown ? line : { ...line, optionId: SHARED_COLUMN }, { shouldFocus: false })
        report.setFocus({ at: to, part: 'actions' })
      })
    },
  }
}
