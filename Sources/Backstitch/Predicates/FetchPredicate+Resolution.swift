extension FetchPredicate {
    /// Returns the predicate checked against a model, for objects of `entity`. ``evaluate(_:)`` and stores need this
    /// form.
    ///
    /// Every key path exists, every operator fits its operands, and each constant has the type of the attribute on the
    /// other side. Resolving a resolved predicate again returns an equal one.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` with entity, key path, type and value, and with similar
    ///   names for an unknown one. Also for variables without a value, and for nesting beyond ``maximumDepth``.
    public func resolved(for entity: ResolvedEntity, in model: ResolvedModel) throws -> FetchPredicate {
        var resolver = PredicateResolver(entity: entity, model: model)
        return try resolver.resolve(self)
    }

    /// Returns the predicate as it is if all its comparisons have plans already; otherwise the resolved one. A fetch is
    /// planned once: its context resolves the predicate, and the store uses that plan.
    ///
    /// - Throws: The same errors as ``resolved(for:in:)``.
    package func planned(for entity: ResolvedEntity, in model: ResolvedModel) throws -> FetchPredicate {
        hasPlans() ? self : try resolved(for: entity, in: model)
    }

    private func hasPlans(depth: Int = 0) -> Bool {
        if depth > Self.maximumDepth { return false }
        return switch self {
        case .constant: true
        case .and(let parts), .or(let parts): parts.allSatisfy { $0.hasPlans(depth: depth + 1) }
        case .not(let part): part.hasPlans(depth: depth + 1)
        case .comparison(let comparison): comparison.plan != nil
        }
    }
}

extension FetchSortDescriptor {
    /// Returns the descriptor checked against a model, for objects of `entity`. Comparisons of objects and stores need
    /// this form.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` unless the path leads through to-one relationships to an
    ///   attribute with an order. Also if the options fold a value other than text.
    public func resolved(for entity: ResolvedEntity, in model: ResolvedModel) throws -> FetchSortDescriptor {
        try resolved(to: PredicateResolver(entity: entity, model: model).path(FetchKeyPath(keyPath)))
    }

    /// Returns the descriptor with its resolved path.
    func resolved(to path: PlannedPath) throws -> FetchSortDescriptor {
        guard !path.isToMany else {
            throw cannotSort(
                path,
                "it leads through a to-many relationship; order by an attribute of the object, or of one at the end of to-one relationships"
            )
        }
        guard path.kind.isOrdered || path.kind == .boolean else {
            throw cannotSort(
                path,
                path.attribute == nil
                    ? "it is not an attribute; order by an attribute of its destination" : "its values have no order")
        }
        guard options.isEmpty || path.kind == .text else { throw cannotSort(path, "[\(options)] is for text only") }
        var copy = self
        copy.path = path
        return copy
    }

    private func cannotSort(_ path: PlannedPath, _ reason: String) -> BackstitchError {
        BackstitchError(.invalidPredicate, "cannot sort by \(path.summary): \(reason)", key: keyPath)
    }
}
