/// <reference lib="webworker" />
// Texts of a language: kept when they were fetched once, then answered without the network.
import { keepTexts, readTexts, TEXTS_PATH } from '@/offline/text-cache'

export const isTexts = ({ url, sameOrigin }: { url: URL; sameOrigin: boolean }): boolean =>
  sameOrigin && url.pathname.startsWith(TEXTS_PATH)

export async function answerTexts({ request }: { request: Request }): Promise<Response> {
  const kept = await readTexts(request.url)
  if (kept) return kept
  const answer = await fetch(request)
  if (answer.ok) await keepTexts(request.url, answer.clone())
  return answer
}
