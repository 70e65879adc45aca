// Writes the types of the API document. Of a path only what it has is kept: `openapi-typescript` also prints every
// method that it has not, and an empty set of parameters.
import { readFile, writeFile } from 'node:fs/promises'
import openapiTS, { COMMENT_HEADER, astToString } from 'openapi-typescript'
import ts from 'typescript'

const SOURCE = new URL('../../src/api/openapi.json', import.meta.url)
const TARGET = new URL('../../src/api/schema.d.ts', import.meta.url)

/** `name?: never`, or an object of nothing else. */
const isEmpty = ({ type }) =>
  type.kind === ts.SyntaxKind.NeverKeyword || (ts.isTypeLiteralNode(type) && type.members.every(isEmpty))

const withoutEmptyMembers = (path) => {
  const members = path.type.members.filter((member) => !isEmpty(member))
  const type = ts.factory.updateTypeLiteralNode(path.type, ts.factory.createNodeArray(members))
  return ts.factory.updatePropertySignature(path, path.modifiers, path.name, path.questionToken, type)
}

const withoutEmptyPaths = (node) =>
  ts.isInterfaceDeclaration(node) && node.name.text === 'paths'
    ? ts.factory.updateInterfaceDeclaration(
        node,
        node.modifiers,
        node.name,
        node.typeParameters,
        node.heritageClauses,
        node.members.map(withoutEmptyMembers),
      )
    : node

const document = JSON.parse(await readFile(SOURCE, 'utf8'))
const nodes = await openapiTS(document, { defaultNonNullable: false, silent: true })
await writeFile(TARGET, COMMENT_HEADER + astToString(nodes.map(withoutEmptyPaths)))
