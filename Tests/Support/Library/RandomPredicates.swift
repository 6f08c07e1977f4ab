package import Backstitch
import Foundation

/// Makes random predicates and orders that fit a model.
package struct RandomPredicates<Random: RandomNumberGenerator> {
    package let library: Library
    package var random: Random
    private var variables: [(name: String, entity: ResolvedEntity)] = []
    private var variableCount = 0

    package init(_ library: Library, _ random: Random) {
        self.library = library
        self.random = random
    }

    package mutating func predicate(_ entity: ResolvedEntity, depth: Int = 0) -> FetchPredicate {
        switch Int.random(in: 0..<(depth > 3 ? 6 : 12), using: &random) {
        case 6, 7: return .not(predicate(entity, depth: depth + 1))
        case 8, 9:
            return .and((0..<Int.random(in: 0...3, using: &random)).map { _ in predicate(entity, depth: depth + 1) })
        case 10, 11:
            return .or((0..<Int.random(in: 0...3, using: &random)).map { _ in predicate(entity, depth: depth + 1) })
        case 0 where random.once(in: 8): return .constant(random.once(in: 2))
        default: return .comparison(comparison(entity, depth))
        }
    }

    package mutating func order(_ entity: ResolvedEntity) -> [FetchSortDescriptor] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
            let path = path(entity) { attribute in
                switch attribute.type {
                case .binary, .transformable: false
                default: true
                }
            }
            let names = path.names.joined(separator: ".")
            let isText = path.attribute.type == .string || path.attribute.type == .uri
            return FetchSortDescriptor(names, ascending: random.once(in: 2), options: isText ? textOptions() : [])
        }
    }

    private mutating func textOptions() -> FetchTextOptions {
        random.pick([[], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]])
    }
}

extension RandomPredicates {
    private mutating func comparison(_ entity: ResolvedEntity, _ depth: Int) -> FetchComparison {
        // Inside a subquery the element is asked about as often as the object.
        let variable = variables.isEmpty || random.once(in: 3) ? nil : variables[variables.count - 1]
        let root = variable.map { FetchKeyPath.Root.variable($0.name) } ?? .subject
        let start = variable?.entity ?? entity
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: return count(start, root, depth)
        case 2, 3, 4:
            if let comparison = quantified(start, root, entity) { return comparison }
            return attribute(start, root, entity)
        case 5: return object(start, root)
        default: return attribute(start, root, entity)
        }
    }

    private mutating func attribute(
        _ start: ResolvedEntity, _ root: FetchKeyPath.Root, _ entity: ResolvedEntity
    ) -> FetchComparison {
        let path = path(start)
        return compare(.keyPath(FetchKeyPath(root: root, names: path.names)), path.attribute, nil, entity)
    }

    /// A random path to an attribute through up to two to-one relationships.
    private mutating func path(
        _ entity: ResolvedEntity, where fits: (AttributeDescription) -> Bool = { _ in true }
    ) -> (names: [String], attribute: AttributeDescription) {
        var names: [String] = []
        var current = entity
        while names.count < 2, random.once(in: 3), let step = toOne(current) {
            names.append(step.name)
            current = library.model.destination(of: step.relationship)
        }
        let attributes = current.properties.compactMap(\.attribute).filter(fits)
        let attribute = random.pick(attributes)
        return (names + [attribute.name], attribute)
    }

    private mutating func toOne(_ entity: ResolvedEntity) -> (name: String, relationship: ResolvedRelationship)? {
        step(entity) { !$0.isToMany }
    }

    private mutating func step(
        _ entity: ResolvedEntity, _ fits: (ResolvedRelationship) -> Bool
    ) -> (name: String, relationship: ResolvedRelationship)? {
        entity.relationships.compactMap { property in property.relationship.map { (property.name, $0) } }
            .filter { fits($0.1) }.randomElement(using: &random)
    }

    private mutating func quantified(
        _ start: ResolvedEntity, _ root: FetchKeyPath.Root, _ entity: ResolvedEntity
    ) -> FetchComparison? {
        let quantifier = random.pick([FetchComparison.Quantifier.any, .all, .none])
        var names: [String] = []
        var current = start
        if random.once(in: 4), let step = toOne(current) {
            names.append(step.name)
            current = library.model.destination(of: step.relationship)
        }
        repeat {
            guard let many = step(current, { $0.isToMany }) else { return nil }
            names.append(many.name)
            current = library.model.destination(of: many.relationship)
        } while random.once(in: 5) && names.count < 4
        if random.once(in: 4) {
            let path = FetchExpression.keyPath(FetchKeyPath(root: root, names: names))
            return random.once(in: 3)
                ? FetchComparison(path, .contains, objectConstant(current)) : objects(path, current, quantifier)
        }
        let end = self.path(current)
        let path = FetchExpression.keyPath(FetchKeyPath(root: root, names: names + end.names))
        return compare(path, end.attribute, quantifier, entity)
    }

    private mutating func count(_ start: ResolvedEntity, _ root: FetchKeyPath.Root, _ depth: Int) -> FetchComparison {
        var names: [String] = []
        var current = start
        if random.once(in: 4), let step = toOne(current) {
            names.append(step.name)
            current = library.model.destination(of: step.relationship)
        }
        guard let many = step(current, { $0.isToMany }) else { return object(start, root) }
        let collection = FetchKeyPath(root: root, names: names + [many.name])
        var expression = FetchExpression.count(collection)
        if random.once(in: 2), depth < 3, variables.count < 3 {
            variableCount += 1
            let name = "v\(variableCount)"
            variables.append((name, library.model.destination(of: many.relationship)))
            let entity = variables.first?.entity ?? start
            let inner = subqueryPredicate(entity, depth + 2)
            variables.removeLast()
            expression = .subqueryCount(FetchSubquery(collection, variable: name, where: inner))
        }
        let right: FetchExpression =
            random.once(in: 6)
            ? .value(.double(random.pick([0.5, 1.5, -.infinity]))) : .value(.int(random.pick([0, 1, 2, -1])))
        return FetchComparison(
            expression, random.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]), right)
    }

    /// Only of the element: the subject's entity is not at hand here.
    private mutating func subqueryPredicate(_ entity: ResolvedEntity, _ depth: Int) -> FetchPredicate {
        let variable = variables[variables.count - 1]
        let parts = (0..<Int.random(in: 1...2, using: &random)).map { _ -> FetchPredicate in
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return .comparison(count(variable.entity, .variable(variable.name), depth))
            case 1:
                let quantified = quantified(variable.entity, .variable(variable.name), variable.entity)
                return quantified.map(FetchPredicate.comparison) ?? .constant(true)
            default: return .comparison(attribute(variable.entity, .variable(variable.name), variable.entity))
            }
        }
        let whole: FetchPredicate = random.once(in: 2) ? .and(parts) : .or(parts)
        return random.once(in: 4) ? .not(whole) : whole
    }
}

extension RandomPredicates {
    private mutating func object(_ start: ResolvedEntity, _ root: FetchKeyPath.Root) -> FetchComparison {
        guard random.once(in: 3) == false, let step = toOne(start) else {
            let path: FetchExpression =
                root == .subject ? .keyPath(FetchKeyPath(names: [])) : .keyPath(FetchKeyPath(root: root, names: []))
            return objects(path, start, nil)
        }
        return objects(
            .keyPath(FetchKeyPath(root: root, names: [step.name])), library.model.destination(of: step.relationship),
            nil)
    }

    private mutating func objects(
        _ path: FetchExpression, _ entity: ResolvedEntity, _ quantifier: FetchComparison.Quantifier?
    ) -> FetchComparison {
        if random.once(in: 2) {
            let list = (0..<Int.random(in: 0...150, using: &random)).map { _ in objectConstant(entity) }
            return FetchComparison(path, .in, .list(list), quantifier: quantifier)
        }
        return FetchComparison(path, random.pick([.equal, .notEqual]), objectConstant(entity), quantifier: quantifier)
    }

    private mutating func objectConstant(_ entity: ResolvedEntity) -> FetchExpression {
        if random.once(in: 6) { return .value(.null) }
        let known = (library.objects[entity.name] ?? []).randomElement(using: &random)?.objectID
        return .value(.object(known ?? ObjectID(entityName: entity.name, key: random.key())))
    }

    /// A comparison of a path to an attribute with a constant, a list, or another attribute.
    private mutating func compare(
        _ path: FetchExpression, _ attribute: AttributeDescription, _ quantifier: FetchComparison.Quantifier?,
        _ entity: ResolvedEntity
    ) -> FetchComparison {
        if attribute.allowsExternalStorage {
            return FetchComparison(path, random.pick([.equal, .notEqual]), .value(.null), quantifier: quantifier)
        }
        let isText = attribute.type == .string || attribute.type == .uri
        let options = isText ? textOptions() : []
        let comparisonOperator = random.pick(operators(attribute))
        let right: FetchExpression
        switch comparisonOperator {
        case .equal, .notEqual: right = random.once(in: 6) ? unlike(entity) : side(attribute, entity)
        case .in:
            let length = random.once(in: 6) ? 150 : Int.random(in: 0...4, using: &random)
            right = .list((0..<length).map { _ in random.once(in: 12) ? unlikeConstant() : constant(attribute) })
        case .between: right = .list([constant(attribute), constant(attribute)])
        case .like: right = .value(.string(likePattern()))
        case .matches: right = .value(.string(regularPattern()))
        default: right = side(attribute, entity)
        }
        return FetchComparison(path, comparisonOperator, right, options: options, quantifier: quantifier)
    }

    private mutating func side(_ attribute: AttributeDescription, _ entity: ResolvedEntity) -> FetchExpression {
        random.once(in: 4) ? other(attribute, entity) : constant(attribute)
    }

    /// A constant or another attribute of any type.
    private mutating func unlike(_ entity: ResolvedEntity) -> FetchExpression {
        let attributes = entity.properties.compactMap(\.attribute).filter { !$0.allowsExternalStorage }
        guard random.once(in: 2), variables.isEmpty, let other = attributes.randomElement(using: &random) else {
            return unlikeConstant()
        }
        return .keyPath(FetchKeyPath(names: [other.name]))
    }

    private mutating func unlikeConstant() -> FetchExpression {
        .value(
            random.pick([
                .int(5), .double(0.5), .decimal(7), .string("5"), .bool(true), .uuid(random.key().uuid),
                .data(Data("5".utf8)), .date(Date(timeIntervalSince1970: 5)),
                .object(ObjectID(entityName: library.model.entities[0].name, key: random.key())),
            ]))
    }

    private func operators(_ attribute: AttributeDescription) -> [FetchComparison.Operator] {
        switch attribute.type {
        case .boolean, .binary, .transformable: [.equal, .notEqual, .in]
        case .string, .uri: FetchComparison.Operator.allCases
        default: [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in]
        }
    }

    private mutating func constant(_ attribute: AttributeDescription) -> FetchExpression {
        let isNumber = [.integer16, .integer32, .integer64, .double, .float, .decimal].contains(attribute.type)
        guard isNumber, random.once(in: 3) else {
            if attribute.type == .date, random.once(in: 3) {
                return .value(.date(Date(timeIntervalSince1970: 1_700_000_000.0004)))
            }
            return .value(RandomValues.value(attribute, &random))
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return .value(.int(random.pick(RandomValues.integers)))
        case 1: return .value(.double(random.pick(RandomValues.doubles)))
        default: return .value(.decimal(random.pick(RandomValues.decimals)))
        }
    }

    /// Another attribute of the subject that compares with this one.
    private mutating func other(_ attribute: AttributeDescription, _ entity: ResolvedEntity) -> FetchExpression {
        let numbers: [AttributeType] = [.integer16, .integer32, .integer64, .double, .float, .decimal]
        let texts: [AttributeType] = [.string, .uri]
        let fitting = [numbers, texts].first { $0.contains(attribute.type) } ?? [attribute.type]
        let candidates = entity.properties.compactMap(\.attribute)
            .filter { fitting.contains($0.type) && !$0.allowsExternalStorage }
        guard let other = candidates.randomElement(using: &random), variables.isEmpty else {
            return constant(attribute)
        }
        return .keyPath(FetchKeyPath(names: [other.name]))
    }

    private mutating func likePattern() -> String {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
            random.pick([
                "*", "?", "\\*", "\\?", "\\\\", "[", "]", "a", "A", "é", "e",
                random.pick(RandomValues.texts)
                    .filter { $0 != "\\" },
            ])
        }.joined()
    }

    private mutating func regularPattern() -> String {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
            random.pick([
                "a", "A", "é", ".", ".*", "[a-z]", "[^a]", "(a|b)", "\\w+", "\\d?", "[A-Z]*", "ß", "\\s", "(?:ab){0,2}",
                "I",
            ])
        }.joined()
    }
}
