/// The key paths of a request's predicate and order, as far as they lead to other objects. It also notes the properties
/// of these objects that the paths depend on.
struct FollowedPaths {
    /// The paths from an object of the request's entity: relationships, and perhaps an attribute at the end. A path
    /// through the variable of a `SUBQUERY` begins with the path of its collection.
    private(set) var chains: [[PlannedStep]] = []

    /// Properties of the objects that paths lead to.
    private var values = PropertiesByEntity()
    /// The inverses of relationships that are no columns. A change may be reported for the object at the other end
    /// alone.
    private var farEnds = PropertiesByEntity()
    /// The relationships that are no columns.
    private var links = PropertiesByEntity()
    /// The entities of related objects that the request reads or counts.
    private var destinations = PropertySet()
    /// The entities at the end of paths that ask for the identity alone.
    private var pointers = PropertySet()

    init(_ request: StoreFetchRequest, in model: ResolvedModel) {
        if let predicate = request.predicate { collect(predicate, [:]) }
        for descriptor in request.sortDescriptors { if let path = descriptor.path { add(path, [:]) } }
        for chain in chains { note(chain, in: model) }
    }

    /// Whether the request asks for no related objects.
    var isEmpty: Bool { chains.isEmpty }

    /// Whether the changes of a context's turn affect the part of other objects in the paths.
    func isTouched(by touched: TouchedProperties) -> Bool {
        guard !isEmpty else { return false }
        return !values.isDisjoint(with: touched.own) || !links.isDisjoint(with: touched.unheld)
            || !values.isDisjoint(with: touched.foreign) || !farEnds.isDisjoint(with: touched.foreign)
            || !pointers.isDisjoint(with: touched.hidden)
            || [touched.hidden, touched.arrived, touched.gone, touched.unknown].contains {
                !destinations.isDisjoint(with: $0)
            }
    }

    /// The relationships of the paths, to be loaded along.
    var relationshipKeyPaths: [String] {
        let paths = chains.map { $0.prefix { $0.property.relationship != nil }.map(\.property.name) }
        return Set(paths.map { $0.joined(separator: ".") }).sorted()
    }
}

// Collecting.
extension FollowedPaths {
    private mutating func collect(_ predicate: FetchPredicate, _ variables: [String: [PlannedStep]]) {
        switch predicate {
        case .constant: return
        case .not(let part): collect(part, variables)
        case .and(let parts), .or(let parts): for part in parts { collect(part, variables) }
        case .comparison(let comparison):
            guard let plan = comparison.plan else { return }
            collect(plan.left, variables)
            collect(plan.test, variables)
        }
    }

    private mutating func collect(_ test: PlannedTest, _ variables: [String: [PlannedStep]]) {
        switch test {
        case .never, .absent, .present, .member, .like, .matches: return
        case .equal(let operand), .bothAbsent(let operand), .ordered(_, let operand), .text(_, let operand):
            collect(operand, variables)
        case .both(let first, let second):
            collect(first, variables)
            collect(second, variables)
        }
    }

    private mutating func collect(_ operand: PlannedOperand, _ variables: [String: [PlannedStep]]) {
        switch operand {
        case .constant: return
        case .path(let path): add(path, variables)
        case .count(let path, let variable, let predicate):
            let chain = add(path, variables)
            guard let variable, let predicate else { return }
            collect(predicate, variables.merging([variable: chain]) { $1 })
        }
    }

    @discardableResult
    private mutating func add(_ path: PlannedPath, _ variables: [String: [PlannedStep]]) -> [PlannedStep] {
        var chain = path.steps
        if case .variable(let name) = path.root { chain = (variables[name] ?? []) + chain }
        if chain.first?.property.relationship != nil { chains.append(chain) }
        return chain
    }

    private mutating func note(_ chain: [PlannedStep], in model: ResolvedModel) {
        for (level, step) in chain.enumerated() {
            // A change of an object's own property is noticed as a change of the object.
            if level > 0 { values.insert(step.property.slot, of: step.entity.linkIndex) }
            guard let relationship = step.property.relationship else { continue }
            let destination = model.destination(of: relationship).linkIndex
            if relationship.storage == .column {
                if level == chain.count - 1 { pointers.insert(destination) } else { destinations.insert(destination) }
            } else {
                destinations.insert(destination)
                links.insert(step.property.slot, of: step.entity.linkIndex)
                farEnds.insert(model.inverse(of: relationship).slot, of: destination)
            }
        }
    }
}
