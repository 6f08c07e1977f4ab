public import Foundation

extension [StoreOption: any Sendable] {
    /// Reads options from a JSON object: `{"backingStoreType": "SQLite", "syncOnSave": true}`.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` if the text is no JSON object, or if a value is null, an
    ///   object, or a list with anything except texts.
    public init(json data: Data) throws {
        let object: Any
        do { object = try JSONSerialization.jsonObject(with: data) } catch {
            throw BackstitchError(.invalidOption, "the options are not JSON", cause: error)
        }
        guard let members = object as? [String: Any] else {
            throw BackstitchError(.invalidOption, "the options must be a JSON object of option names and values")
        }
        self = [:]
        for (name, value) in members { self[StoreOption(rawValue: name)] = try Self.option(name, value) }
    }

    /// Reads options from environment variables `PREFIX_OPTION_NAME`. With the default prefix,
    /// `BACKSTITCH_OPTION_SYNC_ON_SAVE=false` gives `syncOnSave`.
    ///
    /// - Parameter prefix: The beginning of the variables' names, before an underscore.
    public init(
        environment: [String: String] = ProcessInfo.processInfo.environment, prefix: String = "BACKSTITCH_OPTION"
    ) {
        self = [:]
        for (name, value) in environment where name.hasPrefix(prefix + "_") {
            let words = name.dropFirst(prefix.count + 1).lowercased().split(separator: "_")
            let key = words.enumerated().map { $0.offset == 0 ? String($0.element) : $0.element.capitalized }.joined()
            // Option names write `URL` and `API` in capitals.
            let spelled = key.replacing("Url", with: "URL").replacing("Api", with: "API")
            self[StoreOption(rawValue: spelled)] = value
        }
    }

    private static func option(_ name: String, _ value: Any) throws -> any Sendable {
        if let text = value as? String { return text }
        if let texts = value as? [String] { return texts }
        if let number = value as? NSNumber {
            if isBoolean(number) { return number.boolValue }
            return Int(exactly: number.doubleValue) ?? number.doubleValue
        }
        throw BackstitchError(
            .invalidOption, "option \"\(name)\" must be a text, a number, true, false or a list of texts", key: name)
    }

    private static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
}
