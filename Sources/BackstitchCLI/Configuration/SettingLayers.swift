import ArgumentParser
import Configuration
import Foundation

/// The sources of `serve`'s options: its arguments, then the environment, then a file. If one of them has an option,
/// the later ones are not searched for it.
///
/// ```sh
/// BACKSTITCH_LOG_LEVEL=notice backstitch serve --config /etc/backstitch.json --port 8443
/// ```
/// All of them become arguments before the command line is read. So an option from any source is checked and refused in
/// the same way.
struct SettingLayers {
    private let settings: [ServeSetting]
    private let environment: [String: String]

    /// The most bytes of a file of settings.
    private static let largestFile = 1 << 20

    init(environment: [String: String]) throws {
        settings = try ServeSetting.all()
        self.environment = environment
    }

    /// The arguments of `serve`, followed by the options from other sources.
    ///
    /// - Throws: `ValidationError` for a key that is no option, a value of another type, a file that cannot be read,
    ///   and a secret among the arguments.
    func expand(_ arguments: [String]) throws -> [String] {
        try refuseSecrets(in: arguments)
        try refuseUnknownVariables()
        let given = Self.names(in: arguments)
        let file = try configFile(arguments).map { try settingsFile($0) }
        let variables = EnvironmentVariablesProvider(
            environmentVariables: environment.filter { !$0.value.isEmpty }, arraySeparator: " ")
        return try arguments
            + settings.filter { !given.contains($0.name) }.flatMap { setting -> [String] in
                let variable = AbsoluteConfigKey(["backstitch", setting.key])
                if let found = try Self.arguments(
                    setting, from: variables.snapshot(), variable, place: setting.variable)
                {
                    return found
                }
                guard let file else { return [] }
                return try Self.arguments(
                    setting, from: file.snapshot, [setting.name], place: "\"\(setting.name)\" in \(file.path)") ?? []
            }
    }

    // MARK: Values

    /// The arguments for the value under a key; nil for no value.
    private static func arguments(
        _ setting: ServeSetting, from snapshot: some ConfigSnapshot, _ key: AbsoluteConfigKey, place: String
    ) throws -> [String]? {
        func value(_ type: ConfigType) throws -> ConfigContent? {
            try snapshot.value(forKey: key, type: type).value?.content
        }
        do {
            switch setting.kind {
            case .flag:
                guard case .bool(let isOn)? = try value(.bool) else { return nil }
                return isOn ? ["--\(setting.name)"] : []
            case .list:
                guard case .stringArray(let words)? = try value(.stringArray) else { return nil }
                return words.filter { !$0.isEmpty }.map { "--\(setting.name)=\($0)" }
            case .option:
                // A file has numbers as numbers, not as texts.
                for type in [ConfigType.string, .int, .double] {
                    guard let text = try? value(type).map(Self.text) else { continue }
                    return ["--\(setting.name)=\(text)"]
                }
                // There is no value, or one of another type, which is reported.
                return try value(.string).map { ["--\(setting.name)=\(Self.text($0))"] }
            }
        } catch {
            let wanted =
                switch setting.kind {
                case .flag: "true or false"
                case .list: "an array of texts"
                case .option: "a text or a number"
                }
            throw ValidationError("\(place) takes \(wanted)")
        }
    }

    private static func text(_ content: ConfigContent) -> String {
        switch content {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        default: ""
        }
    }

    // MARK: The file

    /// The path of the file of settings, from the arguments or the environment.
    private func configFile(_ arguments: [String]) throws -> String? {
        for (index, argument) in arguments.enumerated() {
            if argument.hasPrefix("--config=") { return String(argument.dropFirst("--config=".count)) }
            if argument == "--config", index + 1 < arguments.count { return arguments[index + 1] }
        }
        return environment["BACKSTITCH_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads the file of settings.
    ///
    /// - Throws: `ValidationError` for a file that cannot be read or is too large, and for an unknown key.
    private func settingsFile(_ path: String) throws -> (path: String, snapshot: JSONSnapshot) {
        let bytes: [UInt8]
        do {
            let handle = try FileHandle(forReadingFrom: URL(filePath: path))
            bytes = Array(try handle.read(upToCount: Self.largestFile + 1) ?? Data())
            try handle.close()
        } catch { throw ValidationError("the settings in \(path) cannot be read: \(error)") }
        guard bytes.count <= Self.largestFile else {
            throw ValidationError("\(path) has more than \(Self.largestFile) bytes, and is not a file of settings")
        }
        guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
            throw ValidationError("\(path) holds no JSON object such as {\"port\": 8080, \"container\": [\"…\"]}")
        }
        for key in object.keys.sorted() where !settings.contains(where: { $0.name == key }) {
            let nearest = NearestName.of(key, among: settings.map(\.name)).map { "; did you mean \"\($0)\"?" } ?? ""
            let why =
                ServeSetting.commandLineOnly.contains(key)
                ? "is only for the command line" : "is not an option of `serve`\(nearest)"
            throw ValidationError("\"\(key)\" in \(path) \(why)")
        }
        do {
            return (path, try JSONSnapshot(data: bytes.span.bytes, providerName: path, parsingOptions: .default))
        } catch { throw ValidationError("the settings in \(path) cannot be used: \(error)") }
    }

    // MARK: Mistakes

    /// Refuses passwords in arguments, because every user of the machine can read the arguments of a process.
    private func refuseSecrets(in arguments: [String]) throws {
        for argument in arguments where argument.contains("://") {
            let text =
                argument.hasPrefix("--") ? argument.split(separator: "=", maxSplits: 1).last.map(String.init) : argument
            guard let text, let url = URLComponents(string: text), url.password != nil else { continue }
            throw ValidationError(
                "the arguments contain a password, and every user of this machine can read them; give the "
                    + "address in the environment or in the file of --config, or the password in PGPASSWORD"
            )
        }
    }

    /// Refuses a variable whose name is nearly that of an option. Other variables may belong to other programs.
    private func refuseUnknownVariables() throws {
        let known = Set(settings.map(\.variable)).union(Self.otherVariables)
        let prefix = "BACKSTITCH_", words = known.sorted().map { String($0.dropFirst(prefix.count)) }
        for name in environment.keys.sorted() where name.hasPrefix(prefix) && !known.contains(name) {
            guard let nearest = NearestName.of(String(name.dropFirst(prefix.count)), among: words) else { continue }
            throw ValidationError("the variable \(name) is not an option of `serve`; did you mean \(prefix)\(nearest)?")
        }
    }

    /// Variables that are no options: they hold secrets, or name the file.
    private static let otherVariables = [
        "BACKSTITCH_CONFIG", "BACKSTITCH_API_TOKENS", "BACKSTITCH_USERS", "BACKSTITCH_READERS",
        "BACKSTITCH_ADMIN_TOKEN",
    ]

    /// The names of the options among the arguments.
    private static func names(in arguments: [String]) -> Set<String> {
        Set(
            arguments.filter { $0.hasPrefix("--") }.map { argument in
                String(argument.dropFirst(2).prefix { $0 != "=" })
            })
    }
}
