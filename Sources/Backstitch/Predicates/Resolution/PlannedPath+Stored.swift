extension StoreFetchRequest {
    /// Checks that a store can evaluate the whole request.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` with the name of a transient attribute.
    func requireStored() throws {
        try predicate?.requireStored()
        for descriptor in sortDescriptors { try descriptor.path?.requireStored() }
    }
}

extension PlannedPath {
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` if the path ends at a transient attribute: stores do not
    ///   have its values.
    package func requireStored() throws {
        guard let step = steps.last, step.property.isTransient else { return }
        let name = "\(step.entity.name).\(step.property.name)"
        throw BackstitchError(
            .invalidPredicate,
            "\(name) is transient: its values are in no store, so no fetch can ask for them or sort by them; fetch without it and "
                + "filter the objects with evaluate(_:)", key: step.property.name)
    }
}

extension FetchPredicate {
    fileprivate func requireStored() throws {
        switch self {
        case .constant: return
        case .not(let part): try part.requireStored()
        case .and(let parts), .or(let parts): for part in parts { try part.requireStored() }
        case .comparison(let comparison):
            try comparison.plan?.left.requireStored()
            try comparison.plan?.test.requireStored()
        }
    }
}

extension PlannedOperand {
    fileprivate func requireStored() throws {
        switch self {
        case .constant: return
        case .path(let path): try path.requireStored()
        case .count(_, _, let predicate): try predicate?.requireStored()
        }
    }
}

extension PlannedTest {
    fileprivate func requireStored() throws {
        switch self {
        case .never, .absent, .present, .member, .like, .matches: return
        case .equal(let operand), .bothAbsent(let operand), .ordered(_, let operand), .text(_, let operand):
            try operand.requireStored()
        case .both(let first, let second):
            try first.requireStored()
            try second.requireStored()
        }
    }
}
