import BackstitchSupport
import Foundation
import Logging
import Testing

/// Looks for secrets in all that a server has.
enum OutsideSearch {
    /// Every possible form of a plaintext in a file.
    static func forms(of data: Data) -> [Data] {
        var forms = [data, Data(data.hexadecimal.utf8), Data(data.hexadecimal.uppercased().utf8)]
        // Base64 of a longer text that holds it begins at each of three places.
        for skip in 0..<3 where data.count > skip + 6 {
            let rest = data.dropFirst(skip)
            forms.append(Data(Data(rest.prefix(rest.count / 3 * 3)).base64EncodedString().utf8))
        }
        if let text = String(data: data, encoding: .utf8) {
            forms += [.utf16LittleEndian, .utf16BigEndian].compactMap { text.data(using: $0) }
            forms.append(Data(text.replacing("ü", with: "\\u00fc").replacing("ß", with: "\\u00df").utf8))
        }
        return forms
    }

    /// The files below a folder, and the bytes of each.
    static func files(_ folder: URL) throws -> [(name: String, data: Data)] {
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return try (found?.compactMap { $0 as? URL } ?? []).compactMap { file in
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true,
                let data = try? Data(contentsOf: file)
            else { return nil }
            return (file.path, data)
        }
    }

    /// Expects that neither a file below some folders nor the server's log contains a secret.
    ///
    /// - Parameter control: A text that is sent in plain. The search must find it, which proves that it works.
    static func expectNone(
        of secrets: [(name: String, forms: [Data])], but control: String, in folders: [URL], log lines: Locked<[String]>
    ) throws {
        var files = try folders.flatMap(Self.files)
        let log = lines.withLock { $0.joined(separator: "\n") }
        #expect(log.contains("records/modify"))
        files.append(("the server's log", Data(log.utf8)))
        let found = files.filter { $0.data.range(of: Data(control.utf8)) != nil }
        #expect(!found.isEmpty, "a field that is not encrypted is in none of \(files.count) files")
        var hits = 0
        for file in files {
            for secret in secrets {
                for form in secret.forms where file.data.range(of: form) != nil {
                    hits += 1
                    Issue.record("\(file.name) has \(secret.name)")
                }
            }
        }
        let size = files.reduce(0) { $0 + $1.data.count }
        print("counted: \(files.count) files of \(size) bytes searched for \(secrets.count) secrets, \(hits) hits")
    }
}

/// A log that keeps its lines with all metadata.
struct TraceLog: LogHandler {
    let lines: Locked<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(lines: Locked<[String]>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:]) \(metadata)") }
    }
}
