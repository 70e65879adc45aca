import { useId, useState } from 'react'
import { ApiError } from '@/api/client'
import type { Language } from '@/domain/customer'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Field, FieldError } from '@/ui/field'
import { SaveBar } from '../components/save-bar'
import { getFaultRange } from '../lib/fault-range'
import { useResetWording, useSaveWording } from '../template-mutations'
import type { Template, TemplateFault, Wording } from '../types'
import { ChipEditor } from './chip-editor'
import { FaultList } from './fault-list'
import { HighlightedTextarea } from './highlighted-textarea'
import { PreviewPane } from './preview-pane'
import { useWording } from './use-wording'
import { VariableChips } from './variable-chips'
import { VersionsDialog } from './versions-dialog'
import { parseWording, type Segment, serializeWording } from './wording-segments'

const SMALL_CLASS = 'min-h-11 px-3 text-note!'

type WordingEditorProps = { template: Template; language: Language; saved: Wording; isShown: boolean }
type WordingState = ReturnType<typeof useWording>

export function WordingEditor({ template, language, saved, isShown }: WordingEditorProps) {
  const wording = useWording({ template, language, saved, isShown })
  const save = useSaveWording(template.kind, language)
  const faults = wording.preview.data?.faults ?? []
  const send = () =>
    save.mutate(wording.sent(), {
      onSuccess: wording.forget,
      onError: () => {
        if (faults[0]) wording.goTo(faults[0])
      },
    })
  const undo = () => {
    save.reset()
    wording.forget()
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
        <WordingFields template={template} language={language} wording={wording} />
        {save.isError && faults.length === 0 && <ServerErrors error={save.error} />}
        {/* The bar sticks within the whole editor, so a box of its own would hold it back. */}
        <div
          className={
            wording.isDirty || save.isPending ? 'contents' : 'flex flex-wrap items-center justify-between gap-x-4'
          }
        >
          <SaveBar
            isDirty={wording.isDirty}
            isSaving={save.isPending}
            onSave={send}
            onUndo={undo}
            label={t('Save wording')}
          />
          <EarlierVersions template={template} language={language} isOurs={saved.isDefault} wording={wording} />
        </div>
      </div>
      <PreviewPane query={wording.preview} isText={template.channel !== 'email'} lang={language} onUse={wording.swap} />
    </div>
  )
}

type PartProps = { template: Template; language: Language; wording: WordingState }

function WordingFields({ template, language, wording }: PartProps) {
  const { draft, preview } = wording
  const [isText, setIsText] = useState(false)
  const faultsId = useId()
  const faults = preview.data?.faults ?? []
  const [subject, body] = [parseWording(draft.subject), parseWording(draft.body)]
  const hasChips = subject !== undefined && body !== undefined
  const showsText = isText || !hasChips
  const goTo = (fault: TemplateFault) => {
    setIsText(true)
    // Once the field is there.
    requestAnimationFrame(() => wording.goTo(fault))
  }
  return (
    <>
      {showsText ? (
        <RawFields template={template} language={language} wording={wording} faultsId={faultsId} />
      ) : (
        <ChipFields template={template} language={language} wording={wording} subject={subject} body={body} />
      )}
      <FaultList id={faultsId} faults={faults} onGoTo={goTo} onUse={wording.mend} />
      {hasChips ? (
        <Button variant="ghost" icon="pencil" className={`${SMALL_CLASS} w-fit`} onClick={() => setIsText(!isText)}>
          {isText ? t('Edit with chips') : t('Edit as text')}
        </Button>
      ) : (
        <p className="text-caption text-muted">{t('Chips cannot show this wording, so you edit it as text.')}</p>
      )}
    </>
  )
}

type ChipFieldsProps = PartProps & { subject: readonly Segment[]; body: readonly Segment[] }

function ChipFields({ template, language, wording: { draft, change, preview }, subject, body }: ChipFieldsProps) {
  const isInvalid = (name: 'subject' | 'body') => preview.data?.faults.some(({ field }) => field === name) ?? false
  return (
    <>
      {template.hasSubject && (
        <ChipEditor
          label={t('Subject')}
          lang={language}
          rows={1}
          isSingleLine
          isInvalid={isInvalid('subject')}
          allowed={template.allowed}
          segments={subject}
          onChange={(segments) => change({ ...draft, subject: serializeWording(segments) })}
        />
      )}
      <ChipEditor
        label={t('Message')}
        lang={language}
        rows={template.channel === 'email' ? 8 : 4}
        isInvalid={isInvalid('body')}
        allowed={template.allowed}
        segments={body}
        onChange={(segments) => change({ ...draft, body: serializeWording(segments) })}
      />
    </>
  )
}

function RawFields({ template, language, wording, faultsId }: PartProps & { faultsId: string }) {
  const { draft, change, fields, noteFocus, preview } = wording
  const faults = preview.data?.faults ?? []
  const marks = faults
    .filter(({ field }) => field === 'body')
    .flatMap((fault) => getFaultRange(draft.body, fault) ?? [])
  const invalid = (name: 'subject' | 'body') => faults.some(({ field }) => field === name)
  return (
    <>
      {template.hasSubject && (
        <Field label={t('Subject')} unmarked>
          {(aria) => (
            <input
              {...aria}
              ref={fields.subject}
              lang={language}
              className="input"
              aria-invalid={invalid('subject') || undefined}
              value={draft.subject}
              onChange={(event) => change({ ...draft, subject: event.target.value })}
              onFocus={() => noteFocus('subject')}
            />
          )}
        </Field>
      )}
      <Field label={t('Message')} unmarked>
        {({ id }) => (
          <HighlightedTextarea
            id={id}
            describedBy={faults.length > 0 ? faultsId : undefined}
            lang={language}
            rows={template.channel === 'email' ? 8 : 4}
            marks={marks}
            isInvalid={invalid('body')}
            field={fields.body}
            value={draft.body}
            onChange={(body) => change({ ...draft, body })}
            onFocus={() => noteFocus('body')}
          />
        )}
      </Field>
      <VariableChips allowed={template.allowed} onInsert={wording.insert} />
    </>
  )
}

/** Errors of the server that the preview does not find. */
function ServerErrors({ error }: { error: Error }) {
  const serverErrors = error instanceof ApiError ? Object.values(error.errors) : []
  return serverErrors.map((sentence) => <FieldError key={sentence}>{sentence}</FieldError>)
}

function EarlierVersions({ template, language, isOurs, wording }: PartProps & { isOurs: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  const reset = useResetWording(template.kind, language)
  return (
    <div className="-mx-3 flex flex-wrap gap-1">
      <Button variant="ghost" icon="clock" className={SMALL_CLASS} onClick={() => setIsOpen(true)}>
        {t('Earlier wordings')}
      </Button>
      {!isOurs && (
        <Button
          variant="ghost"
          icon="refresh"
          className={SMALL_CLASS}
          pending={reset.isPending}
          pendingText={t('Going back...')}
          onClick={() => reset.mutate(undefined, { onSuccess: wording.forget })}
        >
          {t('Back to our wording')}
        </Button>
      )}
      {isOpen && (
        <VersionsDialog
          template={template}
          language={language}
          onClose={() => setIsOpen(false)}
          onUse={({ subject, body }) => {
            wording.change({ subject: subject ?? '', body })
            setIsOpen(false)
          }}
        />
      )}
    </div>
  )
}
