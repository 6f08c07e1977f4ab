extension FetchPredicate {
    /// Whether an object satisfies the predicate, which must be resolved for the object's entity.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` when it is not resolved, and whatever the object throws
    ///   while its values are read.
    public func evaluate(_ subject: some PredicateSubject) throws -> Bool {
        try PredicateEvaluator(subject).evaluate(self)
    }
}
