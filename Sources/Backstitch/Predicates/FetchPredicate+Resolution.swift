extension FetchPredicate {
    /// The predicate checked against a model, for objects of `entity`: what ``evaluate(_:)`` and stores work with.
    ///
    /// Every key path is found, every operator fits its operands, and constants have the type of the attribute that
    /// they are compared with. Resolving a resolved predicate again gives an equal one.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` naming entity, key path, type and value, with near names for
    ///   an unknown one; for variables without a value; and for nesting beyond ``maximumDepth``.
    public func resolved(for entity: ResolvedEntity, in model: ResolvedModel) throws -> FetchPredicate {
        var resolver = PredicateResolver(entity: entity, model: model)
        return try resolver.resolve(self)
    }
}

extension FetchSortDescriptor {
    /// The descriptor checked against a model, for objects of `entity`: what comparing objects and stores work with.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` when the path is not one of an attribute with an order
    ///   through to-one relationships, or folds what is no text.
    public func resolved(for entity: ResolvedEntity, in model: ResolvedModel) throws -> FetchSortDescriptor {
        try resolved(to: PredicateResolver(entity: entity, model: model).path(FetchKeyPath(keyPath)))
    }

    /// The descriptor with its path found.
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
                    ? "it is no attribute; order by an attribute of what it leads to" : "its values have no order")
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
