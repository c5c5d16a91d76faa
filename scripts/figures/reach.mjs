// The functions that a start can reach by names. The first lines of ../figures.mjs say what counts.
import { join, relative } from 'node:path';
import { optionsOf, sourcesIn, ts } from './sources.mjs';

/** Interfaces in these folders are ports: what is behind them is another part's. `files/` is the old name of `object-store/`. */
const PORTS = ['db/', 'object-store/', 'files/', 'connectors/'];

/** The functions that each of `starts` reaches; a start is a list of `{ operationId }`, `{ route }` or `{ plan }`. */
export const reachedFrom = (workspace, starts) =>
  followFrom(workspace, starts, (node, { pathOf }) =>
    isFunctionWithName(node) ? [{ file: pathOf(node), name: nameOf(node) }] : [],
  );

/** What `collect` finds in the nodes that each of `starts` reaches. */
export function followFrom(workspace, starts, collect) {
  const folder = join(workspace, 'src');
  const program = ts.createProgram(sourcesIn(folder), optionsOf(workspace));
  const checker = program.getTypeChecker();
  const sources = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${folder}/`));
  const pathOf = (node) => relative(folder, node.getSourceFile().fileName);
  const isOurs = (node) => node.getSourceFile().fileName.startsWith(`${folder}/`);
  const outside = sources.filter((source) => !PORTS.some((port) => pathOf(source).startsWith(port)));
  const implementations = findImplementations(checker, sources);

  return Object.fromEntries(
    Object.entries(starts).map(([what, wanted]) => {
      const from = wanted.map((one) => startOf(outside, one));
      if (from.includes(undefined)) throw new Error(`The start of "${what}" was not found`);
      const walked = new Set();
      const seen = new Set();
      for (const node of from) walk(node, walked, seen);
      return [what, [...walked].flatMap((node) => collect(node, { pathOf, checker }))];
    }),
  );

  function walk(node, walked, seen) {
    const visit = (child) => {
      if (ts.isTypeNode(child)) return;
      walked.add(child);
      for (const target of targetsOf(child)) {
        if (seen.has(target)) continue;
        seen.add(target);
        visit(target);
      }
      ts.forEachChild(child, visit);
    };
    visit(node);
  }

  /** The declarations in server/src that a name stands for. */
  function targetsOf(node) {
    if (ts.isNewExpression(node)) return constructorsOf(node).filter(isOurs);
    if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return [];
    return symbolsOf(node)
      .flatMap((symbol) => symbol.declarations ?? [])
      .filter(isOurs)
      .flatMap((declaration) => followed(declaration));
  }

  function symbolsOf(name) {
    const { parent } = name;
    // `const { member } = whole`: the member, not the new constant.
    if (ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent)) {
      const member = checker
        .getTypeAtLocation(parent.parent)
        .getProperty((parent.propertyName ?? name).getText());
      return member ? [member] : [];
    }
    const symbol = ts.isShorthandPropertyAssignment(parent)
      ? checker.getShorthandAssignmentValueSymbol(parent)
      : checker.getSymbolAtLocation(name);
    if (!symbol) return [];
    return [symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol];
  }

  function followed(declaration) {
    if (isFunctionWithName(declaration)) return [declaration];
    if (ts.isVariableDeclaration(declaration)) {
      const target = isOfModule(declaration) ? declaration : functionFrom(declaration.initializer);
      return target ? [target] : [];
    }
    if (!ts.isPropertySignature(declaration) && !ts.isMethodSignature(declaration)) return [];
    if (PORTS.some((port) => pathOf(declaration).startsWith(port))) return [];
    const members = implementations.get(declaration) ?? [];
    const [only] = members.length === 1 ? members.map(functionIn) : [];
    return only ? [only] : [];
  }

  /** The function that a member of an object is: written there, or what its value stands for. */
  function functionIn(member) {
    if (isFunctionWithName(member)) return member;
    return functionFrom(ts.isPropertyAssignment(member) ? member.initializer : member.name);
  }

  /** The function that a value names, or the one that made it, if it can be called. */
  function functionFrom(value) {
    const callee = value && ts.isCallExpression(value) ? value.expression : value;
    if (!callee || !ts.isIdentifier(callee)) return undefined;
    if (checker.getTypeAtLocation(value).getCallSignatures().length === 0) return undefined;
    const declarations = symbolsOf(callee).flatMap((symbol) => symbol.declarations ?? []);
    return declarations.find((declaration) => isFunctionWithName(declaration) && isOurs(declaration));
  }

  function constructorsOf(node) {
    const declaration = checker.getResolvedSignature(node)?.declaration;
    return declaration && ts.isConstructorDeclaration(declaration) ? [declaration] : [];
  }
}

/** For each member of an interface, the members of objects and classes that implement it. */
function findImplementations(checker, sources) {
  const found = new Map();
  const add = (type, member) => {
    const name = member.name && ts.isIdentifier(member.name) ? member.name.text : undefined;
    const declared = name === undefined ? undefined : type.getProperty(name);
    for (const declaration of declared?.declarations ?? [])
      if (declaration !== member) found.set(declaration, [...(found.get(declaration) ?? []), member]);
  };
  const visit = (node) => {
    if (ts.isObjectLiteralExpression(node)) {
      const type = checker.getContextualType(node);
      if (type) for (const member of node.properties) add(checker.getNonNullableType(type), member);
    } else if (ts.isClassLike(node)) {
      for (const { types } of node.heritageClauses ?? [])
        for (const base of types)
          for (const member of node.members) add(checker.getTypeAtLocation(base), member);
    }
    ts.forEachChild(node, visit);
  };
  for (const source of sources) visit(source);
  return found;
}

const isFunction = (node) => ts.isArrowFunction(node) || ts.isFunctionExpression(node);

function isFunctionWithName(node) {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return node.body !== undefined;
  if (ts.isConstructorDeclaration(node) || ts.isAccessor(node)) return node.body !== undefined;
  if (ts.isPropertyAssignment(node)) return isFunction(node.initializer);
  if (!ts.isVariableDeclaration(node) && !ts.isPropertyDeclaration(node)) return false;
  const value = node.initializer;
  if (!value) return false;
  if (isFunction(value)) return true;
  // A function that another one has completed: a prepared statement, for one.
  return ts.isCallExpression(value) && value.arguments.some(isFunction) && isOfModule(node);
}

/** One in a function is walked through with that function; one that is reached from outside is not, because it is set up before. */
function isOfModule(declaration) {
  return (
    ts.isVariableStatement(declaration.parent.parent) && ts.isSourceFile(declaration.parent.parent.parent)
  );
}

function startOf(sources, { operationId, route, plan }) {
  let found;
  const visit = (node) => {
    if (found) return;
    if (operationId && isProperty(node, 'operationId', operationId)) {
      found = ts.findAncestor(node, ts.isCallExpression)?.arguments.at(-1);
    } else if (plan && isProperty(node, 'name', plan)) {
      const literal = node.parent;
      // With what runs it, if it is handed on right there.
      if (isPlan(literal)) found = ts.isCallExpression(literal.parent) ? literal.parent : literal;
    } else if (route && ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [path] = node.arguments;
      if (path && ts.isStringLiteral(path) && `${node.expression.name.text} ${path.text}` === route)
        found = node.arguments.at(-1);
    }
    ts.forEachChild(node, visit);
  };
  for (const source of sources) visit(source);
  return found;
}

function isProperty(node, name, value) {
  return (
    ts.isPropertyAssignment(node) &&
    node.name.getText() === name &&
    ts.isStringLiteral(node.initializer) &&
    node.initializer.text === value
  );
}

/** What the worker runs again and again: an object that has functions beside its name. */
function isPlan(literal) {
  return literal.properties.some((member) => isFunctionWithName(member));
}

const nameOf = (node) => node.name?.getText() ?? 'constructor';
