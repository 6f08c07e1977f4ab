extension ResolvedEntity {
    /// Computes the key of the object with identifying values.
    ///
    /// - Parameter value: Returns the value of an attribute of the natural key.
    /// - Throws: ``BackstitchError/Code/validation`` for a missing value or too long a text,
    ///   ``BackstitchError/Code/invalidValue`` for a value that does not fit the attribute.
    func identifiedKey(_ naturalKey: NaturalKey, _ value: (String) throws -> Value) throws -> ObjectKey {
        naturalKey.key(
            of: try naturalKey.attributes.map { name in
                guard let attribute = try requireProperty(named: name).attribute else { return .null }
                let accepted = try attribute.accept(try value(name))
                guard !accepted.isNull else {
                    throw BackstitchError(
                        .validation,
                        "an object of \(self.name) is identified by its \(name), which has no value; give it one when it is made",
                        key: name)
                }
                if case .string(let text) = accepted, text.utf8.count > NaturalKey.longestText {
                    throw BackstitchError(
                        .validation,
                        "the value of \(name), which identifies an object of \(self.name), has "
                            + "\(text.utf8.count) bytes, at most \(NaturalKey.longestText); use a shorter value, such "
                            + "as a digest", key: name)
                }
                return accepted
            })
    }

    /// Returns the natural key, or throws if there is none.
    func requireNaturalKey() throws -> NaturalKey {
        if let naturalKey { return naturalKey }
        throw BackstitchError(
            .invalidRequest,
            "objects of \(name) are not identified by values; declare .identified(by:) for the entity, or make "
                + "them with insertObject(entityName:)", key: name)
    }

    /// The error for an object made without its identifying values; nil if none are needed.
    var missingIdentity: BackstitchError? {
        naturalKey.map { naturalKey in
            BackstitchError(
                .invalidRequest,
                "objects of \(name) are identified by \(naturalKey.attributes.joined(separator: " and ")), and have "
                    + "their identity from the beginning; make this one with insertObject(entityName:identifiedBy:) or "
                    + "init(context:identifiedBy:)", key: name)
        }
    }
}
