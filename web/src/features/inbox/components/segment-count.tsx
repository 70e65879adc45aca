import { countSegments } from '@/lib/segments'

export function SegmentCount({ text }: { text: string }) {
  if (text === '') return null
  const { encoding, segments, left } = countSegments(text)
  return (
    <p className="flex flex-wrap justify-between gap-x-3 px-1 text-caption text-muted tabular-nums">
      <span>
        {segments === 1 ? '1 text' : `${segments} texts`}, {left} {left === 1 ? 'character' : 'characters'} left
        {segments > 1 && ' in the last'}
      </span>
      {encoding === 'UCS-2' && <span>Emoji or special letters: 70 characters a text</span>}
    </p>
  )
}
