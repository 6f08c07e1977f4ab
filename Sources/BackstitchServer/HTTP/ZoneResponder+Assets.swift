import BackstitchSupport
import CloudWire
import CoreMetrics
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ZoneResponder {
    /// Receives the bytes of an asset: whole, or the rest of an interrupted upload.
    // Not inlined, since long polls keep the caller's frame while they wait.
    @inline(never)
    func receive(_ incoming: IncomingRequest) async throws -> Response {
        let isWhole = [.post, .put].contains(incoming.request.method)
        guard isWhole || [.head, .patch].contains(incoming.request.method) else {
            throw WireError(
                .badRequest, "an upload address answers to POST; a resumable one also answers to HEAD and PATCH")
        }
        let upload = try await service.assets.upload(ticket: incoming.parameters["ticket"] ?? "")
        if isWhole { return try await receiveWhole(incoming, upload) }
        guard let content = upload.content else {
            throw WireError(
                .badRequest,
                "this upload address answers only to POST; for a resumable one, give fileChecksum and size to "
                    + "assets/upload"
            )
        }
        return try await resume(incoming, PartialUpload(upload, content))
    }

    /// Receives an asset as a whole body, bare or as the file of a form.
    private func receiveWhole(_ incoming: IncomingRequest, _ upload: AssetReceipts.Upload) async throws -> Response {
        let request = incoming.request
        let pass = try reception.admit(upload.user, from: incoming.address)
        try pass.hold(1, .uploads)
        defer { withExtendedLifetime(pass) {} }
        let length = request.headers[.contentLength].flatMap(Int.init) ?? 0
        try await service.assets.requireRoom(for: upload, bytes: max(length, 0))
        var form: MultipartExtractor?
        if let contentType = request.headers[.contentType], contentType.begins(withASCII: "multipart/") {
            form = MultipartExtractor(contentType: contentType)
            guard form != nil else { throw WireError(.badRequest, "the form has no boundary") }
        }
        let place = service.context.storage.assets.incoming(configuration.random.uuid())
        var file = try await configuration.runner.run { try IncomingFile(place) }
        let reader = BodyReader(
            channel: incoming.context.channel, timeout: configuration.uploadTimeout, pace: configuration.bodyPace)
        let received: ReceivedFile
        do {
            // The parts of a form around the file are small.
            try await reader.read(request, limit: upload.limit + (form == nil ? 0 : 65_536)) { piece in
                let bytes = try form?.take(piece.readableBytesView) ?? Array(piece.readableBytesView)
                file = try await configuration.runner.run { [file] in
                    var file = file
                    try file.write(bytes)
                    return file
                }
                guard file.size <= upload.limit else {
                    throw WireError(
                        .badRequest, "\(WireError.limitExceededPrefix): the asset is larger than \(upload.limit) bytes")
                }
            }
            try form?.finish()
            received = try await configuration.runner.run { [file] in try file.finish() }
            service.context.metrics.assetBytesReceived.increment(by: received.size)
        } catch {
            try await configuration.runner.run { [file] in file.discard() }
            guard error is MultipartExtractor.Fault else { throw error }
            throw WireError(
                .badRequest,
                """
                the form holds no complete file in a part 'file' or 'files', or over a hundred parts, or a part with \
                over 16 KiB of headers
                """)
        }
        return .json(try AnswerBudget(configuration.standardLimits).close(await service.assets.adopt(received, upload)))
    }

    /// Sends an asset's content, or the requested part of it.
    // Not inlined, since long polls keep the caller's frame while they wait.
    @inline(never)
    func send(_ incoming: IncomingRequest, _ tenantID: Int64, _ checksum: AssetChecksum) async throws -> Response {
        let request = incoming.request
        guard request.method == .get || request.method == .head else {
            throw WireError(.badRequest, "a download address answers to GET")
        }
        let name = AssetName(tenantID: tenantID, checksum: checksum)
        let (parameters, receipts) = (incoming.parameters, service.context.receipts)
        let download = receipts.download(
            of: name, expires: parameters["expires"], bearer: parameters["bearer"], mark: parameters["mark"])
        let size = try await service.assets.asset(named: name, by: download).size
        var response = Response(status: .ok)
        response.headers = Self.assetHeaders
        response.headers[.eTag] = "\"\(checksum.hexadecimal)\""
        var range = 0...max(size - 1, 0)
        switch ByteRange.read(request.headers[.range], size: size) {
        case .whole: break
        case .part(let part):
            range = part
            response.status = .partialContent
            response.headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound)/\(size)"
        case .unsatisfiable:
            response.status = .rangeNotSatisfiable
            response.headers[.contentRange] = "bytes */\(size)"
            try await requireContent(name)
            return response
        }
        guard size > 0, request.method == .get else {
            try await requireContent(name)
            if size > 0 { response.headers[.contentLength] = String(range.count) }
            return response
        }
        guard let body = try await service.assets.contents.body(of: name, range) else {
            throw try await service.assets.missing(name)
        }
        response.body = body
        service.context.metrics.assetBytesSent.increment(by: range.count)
        return response
    }

    /// Requires the content's presence, for answers without any of it.
    private func requireContent(_ name: AssetName) async throws {
        guard try await service.assets.contents.has(name) else { throw try await service.assets.missing(name) }
    }

    /// The headers of all downloads. A browser must not take an asset for a page of this server.
    private static let assetHeaders: HTTPFields = {
        var headers: HTTPFields = [
            .contentType: "application/octet-stream", .contentDisposition: "attachment", .acceptRanges: "bytes",
            .cacheControl: "private, max-age=3600",
        ]
        for (name, value) in [("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "sandbox")] {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return headers
    }()
}
