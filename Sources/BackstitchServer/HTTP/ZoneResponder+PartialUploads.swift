import Backstitch
import BackstitchSupport
import CloudWire
import CoreMetrics
import HTTPTypes
import Hummingbird
import NIOCore

/// Resumable uploads: HEAD tells the received size, PATCH sends more.
extension ZoneResponder {
    func resume(_ incoming: IncomingRequest, _ partial: PartialUpload) async throws -> Response {
        let request = incoming.request
        let pass = try reception.admit(partial.upload.user, from: incoming.address)
        defer { withExtendedLifetime(pass) {} }
        if request.method == .head {
            var response = Response(status: .ok)
            response.headers[.uploadOffset] = String(try await service.assets.size(of: partial))
            response.headers[.uploadLength] = String(partial.content.size)
            response.headers[.cacheControl] = "no-store"
            return response
        }
        let offset = try offset(of: request)
        try pass.hold(1, .uploads)
        if offset == partial.content.size, let receipt = try await service.assets.receiptAgain(partial) {
            return try answer(receipt)
        }
        let file = try await service.assets.open(partial, at: offset)
        return try await append(request, incoming.context.channel, to: file, partial)
    }

    /// The position of a PATCH's body in the file, in bytes.
    private func offset(of request: Request) throws(WireError) -> Int64 {
        guard let text = request.headers[.uploadOffset] else {
            throw WireError(.badRequest, "a PATCH needs the header Upload-Offset, as HEAD gives it")
        }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let offset = Int64(text) else {
            throw WireError(.badRequest, "the Upload-Offset '\(text.shown(40))' is not a number of bytes")
        }
        return offset
    }

    /// Appends the body to a file, and ends the upload if the file is whole. The received bytes stay after a failure.
    /// Only a whole file with wrong content is discarded.
    private func append(
        _ request: Request, _ channel: any Channel, to opened: PartialFile, _ partial: PartialUpload
    ) async throws -> Response {
        let runner = configuration.runner, clock = configuration.clock
        var file = opened
        let receipt: AssetUploadReceipt?
        do {
            let reader = BodyReader(
                channel: channel, timeout: configuration.uploadTimeout, pace: configuration.bodyPace)
            try await reader.read(request, limit: Int(partial.content.size - file.size)) { piece in
                let bytes = Array(piece.readableBytesView)
                file = try await runner.run { [file] in
                    var file = file
                    try file.append(bytes)
                    return file
                }
            }
            receipt = file.size < partial.content.size ? nil : try await service.assets.adopt(file, partial)
        } catch {
            let isWrong = (error as? UploadRefusal)?.offset == 0
            try await runner.run { [file] in
                if isWrong { try file.discard() } else { try file.leave(at: clock.milliseconds()) }
            }
            throw error
        }
        let isWhole = receipt != nil
        try await runner.run { [file] in
            if isWhole { try file.discard() } else { try file.leave(at: clock.milliseconds()) }
        }
        if let receipt { return try answer(receipt) }
        var response = Response(status: .noContent)
        response.headers[.uploadOffset] = String(file.size)
        return response
    }

    private func answer(_ receipt: AssetUploadReceipt) throws -> Response {
        .json(try AnswerBudget(configuration.standardLimits).close(receipt))
    }
}
