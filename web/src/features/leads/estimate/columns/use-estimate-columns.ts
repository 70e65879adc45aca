// Changes of the columns: lines added, moved, copied and removed, options added and removed, each with its undo.
import { useRef, useState } from 'react'
import { useFieldArray, useWatch, type UseFormReturn } from 'react-hook-form'
import { emptyLine } from '@/features/documents/line-values'
import { isEmptyLine } from '@/features/documents/price-line'
import { LINE_ITEM_LIMITS, type LineItemsValues, MIN_OPTIONS } from '@/features/documents/schema'
import { columnTexts as texts } from './messages'
import {
  copyLine,
  getMoveTarget,
  groupByColumn,
  type LinePlace,
  planAddedOption,
  SHARED_COLUMN,
} from './option-structure'

type Form = UseFormReturn<LineItemsValues>

/** What has the focus after a change. */
export type FocusTarget =
  | { line: string; part: LinePart }
  | { column: string; part: 'price' | 'new-line' }
  | { at: number; part: 'name' | 'actions' }

/** The control by which a line was moved. */
export type LinePart = 'handle' | 'actions' | 'up' | 'down'

export type Removal = { key: number; title: string; undo: () => void }

const joinOptionIds = (rows: readonly { optionId: string }[]) => rows.map(({ optionId }) => optionId).join('\n')
const DIRTY = { shouldDirty: true }

/** Whatever changes the columns' structure renders them; typing into a line does not. */
function useStructure(form: Form) {
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
  return { lines, options, hasOptions, optionIds, shared, byOption }
}

export type EstimateColumns = ReturnType<typeof useEstimateColumns>

/** `handleHintId` is of the text that says how a line is moved by keys. */
export function useEstimateColumns(form: Form, defaultTax: string, handleHintId: string) {
  const structure = useStructure(form)
  const { lines, options, hasOptions, optionIds, shared, byOption } = structure
  const [focus, setFocus] = useState<FocusTarget>()
  const [announcement, setAnnouncement] = useState('')
  const [removal, setRemoval] = useState<Removal>()
  const removals = useRef(0)

  const nameOf = (optionId: string) => {
    if (!hasOptions) return texts.oneColumn
    if (optionId === SHARED_COLUMN) return texts.shared
    const at = optionIds.indexOf(optionId)
    return form.getValues('options')[at]?.name || texts.unnamed(at + 1)
  }
  const columnOf = (optionId: string): LinePlace[] => byOption.get(optionId) ?? shared
  const offerUndo = (title: string, undo: () => void) => {
    removals.current += 1
    setRemoval({ key: removals.current, title, undo })
    setAnnouncement(title)
  }
  const isFull = lines.fields.length >= LINE_ITEM_LIMITS.lines

  const addLine = (optionId: string) => {
    setFocus({ at: lines.fields.length, part: 'name' })
    lines.append({ ...emptyLine(defaultTax), optionId }, { shouldFocus: false })
  }
  const moveLine = (from: LinePlace, optionId: string, before: number | undefined, part: LinePart) => {
    // Without options a line keeps the one it had: the removal of the others can be undone.
    if (hasOptions) form.setValue(`lines.${from.at}.optionId`, optionId, DIRTY)
    const to = getMoveTarget(from.at, before, lines.fields.length)
    if (to !== from.at) lines.move(from.at, to)
    const others = columnOf(optionId).filter(({ id }) => id !== from.id)
    const next = others.findIndex(({ at }) => at === before)
    setAnnouncement(texts.moved((next === -1 ? others.length : next) + 1, nameOf(optionId)))
    setFocus({ line: from.id, part })
  }
  const copyTo = (from: LinePlace, optionId: string) => {
    lines.append(copyLine(form.getValues(`lines.${from.at}`), optionId), { shouldFocus: false })
    setAnnouncement(texts.copied(nameOf(optionId)))
  }
  const removeLine = ({ at }: LinePlace) => {
    const line = form.getValues(`lines.${at}`)
    lines.remove(at)
    setFocus({ column: hasOptions ? line.optionId : SHARED_COLUMN, part: 'new-line' })
    offerUndo(texts.lineRemoved(line.name), () => {
      // Its option may have gone meanwhile: then it is part of each.
      const isKnown = form.getValues('options').some(({ optionId }) => optionId === line.optionId)
      const to = Math.min(at, form.getValues('lines').length)
      lines.insert(to, isKnown ? line : { ...line, optionId: '' }, { shouldFocus: false })
      setFocus({ at: to, part: 'actions' })
    })
  }
  const addOption = () => {
    const plan = planAddedOption(form.getValues())
    if (plan.ownedBy !== undefined)
      for (const at of lines.fields.keys()) form.setValue(`lines.${at}.optionId`, plan.ownedBy, DIRTY)
    if (hasOptions) options.append(plan.added, { shouldFocus: false })
    else options.replace(plan.options)
    form.setValue('hasOptions', true, DIRTY)
    form.setValue('recommended', plan.recommended, DIRTY)
    if (plan.copies.length > 0) lines.append(plan.copies, { shouldFocus: false })
    setRemoval(undefined)
    setAnnouncement(texts.added(plan.added.name, plan.before.name))
    setFocus({ column: plan.added.optionId, part: plan.copies.length > 0 ? 'price' : 'new-line' })
  }
  const removeOption = (optionId: string) => {
    const at = optionIds.indexOf(optionId)
    const values = form.getValues()
    const option = values.options[at]
    if (!option) return
    const own = columnOf(optionId).map((place) => place.at)
    const gone = own.flatMap((index) => values.lines[index] ?? [])
    if (own.length > 0) lines.remove(own)
    options.remove(at)
    const isLast = optionIds.length <= MIN_OPTIONS
    if (isLast) form.setValue('hasOptions', false, DIRTY)
    if (values.recommended === optionId)
      form.setValue('recommended', values.options.find((one) => one !== option)?.optionId ?? '', DIRTY)
    // An estimate has at least one line.
    if (gone.length === values.lines.length) lines.append(emptyLine(defaultTax), { shouldFocus: false })
    offerUndo(texts.optionRemoved(nameOf(optionId)), () => {
      options.insert(at, option, { shouldFocus: false })
      form.setValue('hasOptions', true, DIRTY)
      form.setValue('recommended', values.recommended, DIRTY)
      const [first, second] = form.getValues('lines')
      if (isEmptyLine(first) && !second) lines.replace(gone)
      else if (gone.length > 0) lines.append(gone, { shouldFocus: false })
      setFocus({ column: optionId, part: 'new-line' })
    })
  }
  return {
    form,
    handleHintId,
    hasOptions,
    optionIds,
    shared,
    byOption,
    isFull,
    /** Whether a line can be removed: an estimate has at least one. */ hasSeveralLines: lines.fields.length > 1,
    focus,
    announcement,
    removal,
    dismissRemoval: () => setRemoval(undefined),
    undoRemoval: () => {
      removal?.undo()
      setRemoval(undefined)
    },
    nameOf,
    columnOf,
    addLine,
    appendLine: lines.append,
    updateLine: lines.update,
    findPlace: (id: string) => [shared, ...byOption.values()].flat().find((place) => place.id === id),
    moveLine,
    copyTo,
    removeLine,
    addOption,
    removeOption,
  }
}
