extension FetchPredicate {
    /// Evaluates the predicate for an object. It must be resolved for the object's entity.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` if it is not resolved, and errors of reading the object's
    ///   values.
    public func evaluate(_ subject: some PredicateSubject) throws -> Bool {
        try PredicateEvaluator(subject).evaluate(self)
    }
}
