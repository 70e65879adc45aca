import { plural, t } from '@/lib/i18n'
import { countSegments } from '@/lib/segments'

function describeRoom(left: number, segments: number): string {
  return segments > 1
    ? plural(left, '{count} character left in the last', '{count} characters left in the last')
    : plural(left, '{count} character left', '{count} characters left')
}

export function SegmentCount({ text }: { text: string }) {
  if (text === '') return null
  const { encoding, segments, left } = countSegments(text)
  return (
    <p className="flex flex-wrap justify-between gap-x-3 px-1 text-caption text-muted tabular-nums">
      <span>
        {plural(segments, '{count} text', '{count} texts')}, {describeRoom(left, segments)}
      </span>
      {encoding === 'UCS-2' && <span>{t('Emoji or special letters: 70 characters a text')}</span>}
    </p>
  )
}
