public import Foundation

extension FetchSortDescriptor {
    /// Returns the value at the end of the descriptor's path, unfolded.
    func rawValue(of subject: some PredicateSubject) throws -> Value {
        guard let path else {
            throw BackstitchError(
                .invalidPredicate,
                "the order by \(keyPath) is not resolved; call resolved(for:in:) before ordering objects",
                key: keyPath)
        }
        return try PredicateEvaluator.value(of: path, from: subject)
    }

    /// The sort value of an object, folded.
    fileprivate func value(of subject: some PredicateSubject) throws -> Value {
        let value = try rawValue(of: subject)
        if case .uri(let uri) = value { return .string(TextFolding.fold(uri.absoluteString, options)) }
        return value.folded(options)
    }

    /// Whether two folded values are equal in the order.
    func isEqual(_ left: Value, _ right: Value) -> Bool { order(left, right) == 0 }

    /// Compares two folded values; in ascending order nil comes first.
    fileprivate func order(_ left: Value, _ right: Value) -> Int {
        let order =
            switch (left.isNull, right.isNull) {
            case (true, true): 0
            case (true, false): -1
            case (false, true): 1
            case (false, false): ValueOrder.compare(left, right) ?? 0
            }
        return ascending ? order : -order
    }
}

extension Sequence where Element == FetchSortDescriptor {
    /// Compares two objects by these descriptors, which must be resolved. The first descriptor with different values
    /// decides; if there is none, the keys decide.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` if a descriptor is not resolved, and errors of reading the
    ///   objects' values.
    public func compare(_ left: some PredicateSubject, _ right: some PredicateSubject) throws -> ComparisonResult {
        compare(try sortValues(of: left), left.objectID.key, try sortValues(of: right), right.objectID.key)
    }

    /// The sort values of an object, folded: one for each descriptor.
    func sortValues(of subject: some PredicateSubject) throws -> [Value] { try map { try $0.value(of: subject) } }

    /// Compares two objects by their sort values and keys.
    func compare(_ left: [Value], _ leftKey: ObjectKey, _ right: [Value], _ rightKey: ObjectKey) -> ComparisonResult {
        for (index, descriptor) in enumerated() {
            let order = descriptor.order(left[index], right[index])
            if order != 0 { return order < 0 ? .orderedAscending : .orderedDescending }
        }
        return leftKey == rightKey ? .orderedSame : leftKey < rightKey ? .orderedAscending : .orderedDescending
    }

    /// Sorts objects by these descriptors, which must be resolved. Each value is read and folded once.
    ///
    /// - Throws: As ``compare(_:_:)``.
    public func sorted<Subject: PredicateSubject>(_ subjects: some Sequence<Subject>) throws -> [Subject] {
        let descriptors = Array(self)
        let rows = try subjects.map { (subject: $0, key: $0.objectID.key, values: try descriptors.sortValues(of: $0)) }
        return rows.sorted {
            descriptors.compare($0.values, $0.key, $1.values, $1.key) == .orderedAscending
        }.map(\.subject)
    }
}
